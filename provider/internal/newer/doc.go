// Package newer is tests that run on another Terraform than make test does: on
// releases that have what it has not, and on OpenTofu. They have the build tag newer
// and are run by make newer. What they show of the provider itself, other tests show
// in-process; these show that Terraform and OpenTofu get along with it.
package newer
