package source_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var canary = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "canary-id", SecretAccessKey: "canary-secret", SessionToken: "canary-session"}, nil
})

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// wantSigned checks a request's signature as a service does, from the request as it
// came.
func wantSigned(t *testing.T, r *http.Request, body, service, region string) {
	t.Helper()
	fields := map[string]string{}
	algorithm, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	for part := range strings.SplitSeq(rest, ", ") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = value
	}
	at := r.Header.Get("X-Amz-Date")
	if len(at) != len("20260701T120000Z") {
		t.Fatalf("X-Amz-Date %q", at)
	}
	scope := at[:8] + "/" + region + "/" + service + "/aws4_request"
	if algorithm != "AWS4-HMAC-SHA256" || fields["Credential"] != "canary-id/"+scope {
		t.Fatalf("signed with %s for %s, want %s", algorithm, fields["Credential"], scope)
	}
	signed := strings.Split(fields["SignedHeaders"], ";")
	for _, name := range []string{"host", "x-amz-date", "x-amz-security-token"} {
		if !slices.Contains(signed, name) {
			t.Errorf("%s is not signed", name)
		}
	}
	var headers strings.Builder
	for _, name := range signed {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = r.Header.Get("Content-Length")
		}
		headers.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	hash := r.Header.Get("X-Amz-Content-Sha256")
	if hash != "UNSIGNED-PAYLOAD" && hash != digest(body) {
		t.Errorf("hash of the body %q", hash)
	}
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	}
	canonical := strings.Join([]string{
		r.Method, strings.Join(segments, "/"), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"),
		headers.String(), fields["SignedHeaders"], hash,
	}, "\n")
	key := []byte("AWS4canary-secret")
	for _, part := range []string{at[:8], region, service, "aws4_request"} {
		key = mac(key, part)
	}
	want := hex.EncodeToString(mac(key, "AWS4-HMAC-SHA256\n"+at+"\n"+scope+"\n"+digest(canonical)))
	if fields["Signature"] != want {
		t.Errorf("signature %s, want %s, of\n%s", fields["Signature"], want, canonical)
	}
}
