package season

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// longestRange keeps a slip in a year from making a million dates.
const longestRange = 3660

// Load reads a folder. An error names the file and the field or line that cannot
// be used.
func Load(folder fs.FS) (*Season, error) {
	s := &Season{}
	if err := s.loadProducts(folder); err != nil {
		return nil, err
	}
	if err := s.loadMorning(folder); err != nil {
		return nil, err
	}
	if err := s.loadAfter(folder); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Season) loadProducts(folder fs.FS) error {
	root, err := readJSON(folder, File)
	if err != nil {
		return err
	}
	if err := root.object(); err != nil {
		return err
	}
	products, err := root.get("products").list()
	if err != nil {
		return err
	}
	if len(products) == 0 {
		return root.get("products").wrong("is empty: there is nothing to show")
	}
	first := map[signal.Product]int{}
	cadences := map[string]int{}
	for i, f := range products {
		p, err := product(f)
		if err != nil {
			return err
		}
		if j, ok := first[p.Product]; ok {
			return f.wrong("is %s again, which products[%d] is already", p.Product, j)
		}
		first[p.Product] = i
		if j, ok := cadences[p.Bucket]; ok && s.Products[j].Pattern.Cadence != p.Pattern.Cadence {
			return f.get("availabilityEstimationPattern.cadence").wrong("bucket %q is checked every %s here and every %s in products[%d]",
				p.Bucket, p.Pattern.Cadence.Duration(), s.Products[j].Pattern.Cadence.Duration(), j)
		}
		cadences[p.Bucket] = i
		s.Products = append(s.Products, p)
	}
	return nil
}

func product(f field) (Product, error) {
	if err := f.object(); err != nil {
		return Product{}, err
	}
	var p Product
	var errs [6]error
	p.CollectionID, errs[0] = f.get("collectionId").id()
	p.ActivityType, errs[1] = f.get("activityType").id()
	p.ActivityID, errs[2] = f.get("activityId").id()
	p.ProductID, errs[3] = f.get("productId").id()
	p.Start, errs[4] = f.get("rangeStart").date()
	p.End, errs[5] = f.get("rangeEnd").date()
	for _, err := range errs {
		if err != nil {
			return p, err
		}
	}
	if err := p.Validate(); err != nil {
		return p, f.wrong("%w", err)
	}
	switch days := p.Days(); {
	case days < 1:
		return p, f.get("rangeEnd").wrong("%s is before rangeStart %s", p.End, p.Start)
	case days > longestRange:
		return p, f.get("rangeEnd").wrong("%s is %d days after rangeStart %s, more than the %d that a demo takes", p.End, days-1, p.Start, longestRange)
	}
	if p.Name, _ = f.get("displayName").text(); p.Name == "" {
		p.Name = p.Product.String()
	}
	if err := p.zone(f.get("timezone")); err != nil {
		return p, err
	}
	if err := p.pattern(f.get("availabilityEstimationPattern")); err != nil {
		return p, err
	}
	return p, p.pools(f.get("pools"))
}

func (p *Product) zone(f field) error {
	if f.absent() {
		p.Zone = "UTC"
		return nil
	}
	name, err := f.text()
	if err != nil {
		return err
	}
	if _, err := signal.LoadZone(name); err != nil {
		return f.wrong("%w", err)
	}
	p.Zone = name
	return nil
}

func (p *Product) pattern(f field) error {
	if err := f.object(); err != nil {
		return err
	}
	pattern, err := signal.ParsePattern(f.attribute())
	if err != nil {
		return f.wrong("%w", err)
	}
	cadence := f.get("cadence")
	if cadence.absent() {
		return cadence.wrong("is missing: expected {\"minutes\": 5}, or hours or days")
	}
	pattern.Cadence, err = signal.ParseCadence(cadence.attribute())
	if err != nil {
		return cadence.wrong("%w", err)
	}
	if p.Bucket, err = pattern.Cadence.BucketName(); err != nil {
		return cadence.wrong("%w", err)
	}
	if pattern.Cadence, err = timed(pattern.Cadence); err != nil {
		return cadence.wrong("%w", err)
	}
	p.Pattern = pattern
	return nil
}

func (p *Product) pools(f field) error {
	if f.absent() {
		return nil
	}
	list, err := f.list()
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for i, e := range list {
		if err := e.object(); err != nil {
			return err
		}
		asset, err := e.get("asset").text()
		if err != nil {
			return err
		}
		if len(asset) > 1024 {
			return e.get("asset").wrong("is longer than the 1024 bytes of a sort key")
		}
		if j, ok := seen[asset]; ok {
			return e.get("asset").wrong("%q is pools[%d]'s already", asset, j)
		}
		seen[asset] = i
		capacity, err := e.get("capacity").amount()
		if err != nil {
			return err
		}
		p.Pools = append(p.Pools, Pool{Asset: asset, Capacity: capacity})
	}
	return nil
}

func (s *Season) loadAfter(folder fs.FS) error {
	root, err := readJSON(folder, AfterFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, ok := root.value.(map[string]any)
	if !ok {
		return root.wrong("expected an object of \"product/day\" and value")
	}
	s.After = make(map[Day]string, len(m))
	for name := range m {
		f := root.get(name)
		var d Day
		if n, err := fmt.Sscanf(name, "%d/%d", &d.Product, &d.Date); n != 2 || err != nil || name != fmt.Sprintf("%d/%d", d.Product, d.Date) {
			return f.wrong("expected a product's index, a slash and a day, such as 0/12")
		}
		if reason := s.missing(d); reason != "" {
			return f.wrong("%s", reason)
		}
		if s.After[d], err = f.text(); err != nil {
			return err
		}
	}
	return nil
}

// missing says why there is no such day, or "".
func (s *Season) missing(d Day) string {
	if d.Product < 0 || d.Product >= len(s.Products) {
		return fmt.Sprintf("there is no product %d, only 0 to %d", d.Product, len(s.Products)-1)
	}
	if days := s.Products[d.Product].Days(); d.Date < 0 || d.Date >= days {
		return fmt.Sprintf("product %d has no day %d, only 0 to %d", d.Product, d.Date, days-1)
	}
	return ""
}
