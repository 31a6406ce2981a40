// Package operate is what operators do with signals, beside the runs that check
// them: explain one, check some now, audit, sweep and sync.
//
// A Task says what is to be done, as a command's arguments or a function's event
// do. Each task has an answer that is JSON, and text for people (Print).
//
//	explain  a signal                        why it shows what it shows: one verdict
//	check    a signal, a product, a bucket   computed now, due or not
//	audit    a signal, a product, a bucket   clean values compared with the source now
//	sweep    a product, a bucket             expired signals that TTL has left
//	sync     a product, a collection, all    signals made what products and dates call for
//
// Nothing here weakens what the runs rest on: every write is one of package
// protocol's, and a task may be killed anywhere and repeated. An answer says what was
// done even where an error ended it, and a name of which nothing is known is a finding.
package operate
