// Package stream keeps signals by what happens in the platform's table, so that
// nothing in the application has to change: records of inventory flip signals,
// and records of products and their dates seed, change and delete them.
//
// # What a record says
//
// A record names a key and nothing else: records of different keys come in any
// order, and twice. What a key's record calls for is decided by strongly
// consistent reads of what there is now. For a date, of its own item and of its
// product's: if both are there and neither says isDeleted, there is to be a
// signal, on the terms that they give; else there is not. After each write they
// are read again, until the signal is as they say. So whichever of two handlers
// writes last, what stays is what the platform's items say.
//
// # Whose signals
//
// Signals seeded here have seededBy "stream", and only they are changed and
// deleted. One that nobody owns is adopted; one of another seeder's is flipped and
// otherwise left alone, unless a Sync is told to take over.
//
// # Where the records come from
//
// An event source mapping of the function, with ReportBatchItemFailures, and with
// one filter for each of the prefixes of dynamodb.Keys.pk: inventoryPool::,
// inventory::, productDate:: and product::, or how the keys of inventory begin that
// the platform has instead (Consumer.Inventory). Without filters the runtime's own
// writes, in a table that it shares, invoke it too, in vain.
//
// A Sync does for what is there already what records of it would have done.
package stream
