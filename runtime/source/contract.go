package source

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// contractVersion is that of the request and the answer in the package's doc.
const contractVersion = 1

// maxPayload is what Lambda takes and answers at most, in bytes.
const maxPayload = 6 << 20

type batchRequest struct {
	Version int           `json:"version"`
	Signals []batchSignal `json:"signals"`
}

type batchSignal struct {
	Key          string `json:"key"`
	CollectionID string `json:"collectionId"`
	ActivityType string `json:"activityType"`
	ActivityID   string `json:"activityId"`
	ProductID    string `json:"productId"`
	Date         string `json:"date"`
}

// batchKey is what stands for a signal in a request and its answer.
func batchKey(d signal.ProductDate) string { return d.PK() + "::" + d.Date.String() }

// encodeRequest is the body that asks for a batch. A body that is too large is an
// error, which a smaller batch may not be.
func encodeRequest(dates []signal.ProductDate) ([]byte, error) {
	r := batchRequest{Version: contractVersion, Signals: make([]batchSignal, len(dates))}
	for i, d := range dates {
		r.Signals[i] = batchSignal{
			Key:          batchKey(d),
			CollectionID: d.CollectionID,
			ActivityType: d.ActivityType,
			ActivityID:   d.ActivityID,
			ProductID:    d.ProductID,
			Date:         d.Date.String(),
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	// The body is no HTML, and an escape of "&" is five bytes more.
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	if b.Len() > maxPayload {
		return nil, fmt.Errorf("encode the request: its %d bytes are more than the %d that one may have", b.Len(), maxPayload)
	}
	return b.Bytes(), nil
}
