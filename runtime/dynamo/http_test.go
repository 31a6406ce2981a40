package dynamo_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// However many requests are under way at once, the next ones need no connections of
// their own.
func TestHTTPClient_keepsItsConnections(t *testing.T) {
	t.Parallel()
	const atOnce = 64
	var together sync.WaitGroup
	connections := map[string]bool{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		mu.Unlock()
		together.Done()
		together.Wait()
	}))
	defer server.Close()
	client := dynamo.NewHTTPClient()
	for range 2 {
		together.Add(atOnce)
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
				if err != nil {
					t.Error(err)
					return
				}
				answer, err := client.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				defer answer.Body.Close()
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	mu.Lock()
	defer mu.Unlock()
	if len(connections) != atOnce {
		t.Errorf("%d connections for %d requests at once, twice", len(connections), atOnce)
	}
}
