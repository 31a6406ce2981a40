package main

// Run reckons what a command line asks for, and returns the exit code.
var Run = run
