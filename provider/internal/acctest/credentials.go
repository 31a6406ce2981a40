package acctest

import (
	"os"
	"path/filepath"
	"testing"
)

// WithoutCredentials hides all of the environment's credentials until the test ends
// or restore is called.
func WithoutCredentials(t *testing.T) (restore func()) {
	t.Helper()
	none := filepath.Join(t.TempDir(), "none")
	hidden := map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "",
		"AWS_SHARED_CREDENTIALS_FILE": none, "AWS_CONFIG_FILE": none, "AWS_EC2_METADATA_DISABLED": "true",
	}
	before := map[string]string{}
	for name, value := range hidden {
		before[name] = os.Getenv(name)
		t.Setenv(name, value)
	}
	return func() {
		for name, value := range before {
			t.Setenv(name, value)
		}
	}
}
