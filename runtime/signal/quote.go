package signal

import "fmt"

// quoted keeps a message short whatever was given as a name.
func quoted(name string) string {
	const most = 64
	if len(name) > most {
		return fmt.Sprintf("%q...", name[:most])
	}
	return fmt.Sprintf("%q", name)
}
