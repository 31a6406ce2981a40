// Package conformance holds one table of cases that the simulator, the local
// engines and DynamoDB itself must all answer alike, and the list of what the
// engines are known to answer otherwise. It is tests alone.
//
// What a case wants is what DynamoDB is documented to do. The engine is the one
// that the environment names, as .ci/local-aws [--engine moto] sets it, or AWS
// with TF_ACC and credentials.
package conformance
