package season

import (
	"encoding/json"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Document renders the products as a season.json of today: shifted, every
// cadence as a duration, every id as text. A cadence has an id only where its
// bucket is not called after its duration.
func (s *Season) Document() ([]byte, error) {
	type pool struct {
		Asset    string `json:"asset"`
		Capacity int64  `json:"capacity"`
	}
	type product struct {
		CollectionID string `json:"collectionId"`
		ActivityType string `json:"activityType"`
		ActivityID   string `json:"activityId"`
		ProductID    string `json:"productId"`
		DisplayName  string `json:"displayName"`
		Timezone     string `json:"timezone"`
		RangeStart   string `json:"rangeStart"`
		RangeEnd     string `json:"rangeEnd"`
		Pattern      any    `json:"availabilityEstimationPattern"`
		Pools        []pool `json:"pools"`
	}
	var doc struct {
		Products []product `json:"products"`
	}
	for _, p := range s.Products {
		out := product{
			p.CollectionID, p.ActivityType, p.ActivityID, p.ProductID, p.Name, p.Zone,
			p.Start.String(), p.End.String(), p.patternDocument(),
			[]pool{},
		}
		for _, q := range p.Pools {
			out.Pools = append(out.Pools, pool(q))
		}
		doc.Products = append(doc.Products, out)
	}
	text, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", File, err)
	}
	return text, nil
}

func (p Product) patternDocument() any {
	cadence := map[string]any{}
	for unit, n := range map[string]int{"minutes": p.Pattern.Cadence.Minutes, "hours": p.Pattern.Cadence.Hours, "days": p.Pattern.Cadence.Days} {
		if n > 0 {
			cadence[unit] = n
		}
	}
	if name, err := p.Pattern.Cadence.BucketName(); err != nil || name != p.Bucket {
		cadence["id"] = p.Bucket
	}
	doc := map[string]any{"estimationMode": p.Pattern.Mode, "cadence": cadence}
	if p.Pattern.Mode == signal.Tiered {
		tiers := []map[string]any{}
		for _, t := range p.Pattern.Tiers {
			tier := map[string]any{"id": t.ID, "maxPercentage": json.Number(t.MaxPercentage.String())}
			if t.Label != "" {
				tier["label"] = t.Label
			}
			tiers = append(tiers, tier)
		}
		doc["tiers"] = tiers
	}
	return doc
}
