package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Environment variables: what a visitor may set, and what .ci/local-aws says.
const (
	envKeep     = "KEEP"
	envData     = "DATA"
	envTmp      = "AVAILABILITY_LOCAL_TMP"
	envEndpoint = "AWS_ENDPOINT_URL"
)

// settings are what the environment says.
type settings struct {
	// keep leaves everything running in the end, until an interruption.
	keep bool
	// data is a folder with another season, or "".
	data string
	// tmp is a directory that goes away with the local AWS.
	tmp string
	// endpoint is the local AWS.
	endpoint string
}

var errNotLocal = errors.New("this demo makes and deletes tables, rules and functions, and runs on a local AWS alone: start it with make demo")

func readSettings(getenv func(string) string) (settings, error) {
	s := settings{data: getenv(envData), tmp: getenv(envTmp), endpoint: getenv(envEndpoint)}
	switch v := strings.ToLower(getenv(envKeep)); v {
	case "", "0", "false", "no":
	case "1", "true", "yes":
		s.keep = true
	default:
		return s, fmt.Errorf("KEEP is %q: expected 1 to leave everything running, or nothing", v)
	}
	u, err := url.Parse(s.endpoint)
	if err != nil || s.tmp == "" || !loopback(u.Hostname()) {
		return s, errNotLocal
	}
	return s, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
