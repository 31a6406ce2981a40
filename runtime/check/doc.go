// Package check is a run of a bucket. In order:
//
//  1. Read the bucket's registry item, whose settings hold for this run.
//  2. Take its run item, so that one run at a time drains it (60 s, renewed every
//     15 s). If another run has it, say so in the report, and end.
//  3. Query the dirty entries of all sixteen shard keys, every page. What is expired
//     or not due yet stays where it is; who is in quarantine is counted and named.
//  4. Check what is due, the oldest first, as many at once as the bucket says and
//     within the write budget of each shard: claim, ask the source, finish. A signal
//     that fails is put off longer each time; a source that fails for everybody ends
//     the checks.
//  5. Sweep what has been expired for an hour and TTL has left.
//  6. Audit the clean entries that are due: read the signal, ask the source, compare;
//     flip what is wrong.
//  7. Sweep what the audit has met.
//  8. Write the report into the run item, and give it back.
//
// Checks end in time for their finishes, and the audit in time for the next run.
//
// Every step of a check is protocol.Check's, and of an audit protocol.Audit's; this
// package sends it. Nothing here is needed for safety: a run may be killed anywhere,
// overlap another or be delivered twice.
package check
