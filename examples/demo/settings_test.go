package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadSettings(t *testing.T) {
	local := map[string]string{"AVAILABILITY_LOCAL_TMP": "/tmp/x", "AWS_ENDPOINT_URL": "http://127.0.0.1:4566"}
	tests := map[string]struct {
		set  map[string]string
		want settings
		err  string
	}{
		"alone":         {nil, settings{tmp: "/tmp/x", endpoint: "http://127.0.0.1:4566"}, ""},
		"keep":          {map[string]string{"KEEP": "1"}, settings{keep: true, tmp: "/tmp/x", endpoint: "http://127.0.0.1:4566"}, ""},
		"keep not":      {map[string]string{"KEEP": "0"}, settings{tmp: "/tmp/x", endpoint: "http://127.0.0.1:4566"}, ""},
		"keep what":     {map[string]string{"KEEP": "maybe"}, settings{}, `KEEP is "maybe": expected 1 to leave everything running, or nothing`},
		"data":          {map[string]string{"DATA": "dir"}, settings{data: "dir", tmp: "/tmp/x", endpoint: "http://127.0.0.1:4566"}, ""},
		"no engine":     {map[string]string{"AWS_ENDPOINT_URL": ""}, settings{}, errNotLocal.Error()},
		"real AWS":      {map[string]string{"AWS_ENDPOINT_URL": "https://dynamodb.ca-central-1.amazonaws.com"}, settings{}, errNotLocal.Error()},
		"no directory":  {map[string]string{"AVAILABILITY_LOCAL_TMP": ""}, settings{}, errNotLocal.Error()},
		"IPv6 loopback": {map[string]string{"AWS_ENDPOINT_URL": "http://[::1]:1"}, settings{tmp: "/tmp/x", endpoint: "http://[::1]:1"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := readSettings(func(name string) string {
				if v, ok := tt.set[name]; ok {
					return v
				}
				return local[name]
			})
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(settings{})); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestDataFolder_thatIsNone(t *testing.T) {
	if _, err := dataFolder("no/such/folder"); err == nil {
		t.Error("no error for a folder that is not there")
	}
	if _, err := dataFolder("settings.go"); err == nil || errors.Unwrap(err) != nil {
		t.Errorf("error %v for a file", err)
	}
}
