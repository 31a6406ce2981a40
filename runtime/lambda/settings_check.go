package lambda

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
	_, err := readSettings(func(name string) string {
		switch name {
		case envRegion:
			return "us-east-1"
		case envKeyID, envSecret:
			return "of the function's role"
		}
		return getenv(name)
	}, false)
	return settingErrors(err)
}

// settingErrors are those that an error is made of.
func settingErrors(err error) []*SettingError {
	switch e := err.(type) { //nolint:errorlint // it is the error itself that is taken apart
	case *SettingError:
		return []*SettingError{e}
	case interface{ Unwrap() []error }:
		var all []*SettingError
		for _, part := range e.Unwrap() {
			all = append(all, settingErrors(part)...)
		}
		return all
	}
	return nil
}
