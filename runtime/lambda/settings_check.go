package lambda

import "errors"

// SettingError is what is wrong with the value of one environment variable, or that
// it has none. The reason goes on after its name, may name other variables and never
// shows a secret.
type SettingError struct {
	Variable string
	Reason   error
}

func (e *SettingError) Error() string {
	return "environment variable " + e.Variable + " " + e.Reason.Error()
}

func (e *SettingError) Unwrap() error { return e.Reason }

// CheckSettings returns what is wrong with the settings of a function that has them as
// its environment variables; region and credentials come from Lambda.
func CheckSettings(getenv func(string) string) []*SettingError {
	r := settingsReader{getenv: func(name string) string {
		switch name {
		case envRegion:
			return "us-east-1"
		case envKeyID, envSecret:
			return "of the function's role"
		}
		return getenv(name)
	}}
	r.read(false)
	faults := make([]*SettingError, len(r.faults))
	for i, fault := range r.faults {
		faults[i], _ = errors.AsType[*SettingError](fault)
	}
	return faults
}
