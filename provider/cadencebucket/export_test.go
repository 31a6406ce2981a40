package cadencebucket

// SplitID and JoinID are how import ids are read and written.
func SplitID(id string) (table, name string, err error) { return parseImportID(id) }

func JoinID(table, name string) string { return importID(ref{table: table, name: name}) }
