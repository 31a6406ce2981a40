package season

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// lastSecond of a morning: it lasts a day at most.
const lastSecond = 24*60*60 - 1

// columns of morning.csv, in order.
var columns = [5]string{"second", "product", "day", "pool", "change"}

func (s *Season) loadMorning(folder fs.FS) error {
	text, err := readText(folder, MorningFile)
	if err != nil {
		return err
	}
	rows := csv.NewReader(bytes.NewReader(text))
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	header := strings.Join(columns[:], ",")
	first, err := rows.Read()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: is empty: expected the header %s", MorningFile, header)
	case err != nil:
		return fmt.Errorf("read %s: %w", MorningFile, err)
	case !slices.Equal(first, columns[:]):
		return fmt.Errorf("%s line 1: expected the header %s", MorningFile, header)
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", MorningFile, err)
		}
		line, _ := rows.FieldPos(0)
		b, err := s.booking(row)
		if err != nil {
			return fmt.Errorf("%s line %d: %w", MorningFile, line, err)
		}
		b.Line = line
		s.Morning = append(s.Morning, b)
	}
	slices.SortStableFunc(s.Morning, func(a, b Booking) int { return a.Second - b.Second })
	return s.possible()
}

func (s *Season) booking(row []string) (Booking, error) {
	if len(row) != len(columns) {
		return Booking{}, fmt.Errorf("expected %d columns, found %d", len(columns), len(row))
	}
	var n [len(columns)]int
	for i, text := range row {
		var err error
		if n[i], err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
			return Booking{}, fmt.Errorf("%s %q: expected a whole number", columns[i], text)
		}
	}
	b := Booking{Second: n[0], Slot: Slot{Day{n[1], n[2]}, n[3]}, Change: int64(n[4])}
	if b.Second < 0 || b.Second > lastSecond {
		return b, fmt.Errorf("second %d: expected 0 to %d", b.Second, lastSecond)
	}
	if reason := s.missing(b.Day); reason != "" {
		return b, errors.New(reason)
	}
	if pools := len(s.Products[b.Product].Pools); b.Pool < 0 || b.Pool >= pools {
		return b, fmt.Errorf("product %d has no pool %d: it has %d, counted from 0", b.Product, b.Pool, pools)
	}
	return b, nil
}

// possible reports the first booking that takes more than there is, or release
// that gives back more than was taken: a table would refuse it.
func (s *Season) possible() error {
	left := map[Slot]int64{}
	for _, b := range s.Morning {
		capacity := s.Products[b.Product].Pools[b.Pool].Capacity
		if _, ok := left[b.Slot]; !ok {
			left[b.Slot] = capacity
		}
		before := left[b.Slot]
		left[b.Slot] += b.Change
		if after := left[b.Slot]; after < 0 || after > capacity {
			return fmt.Errorf("%s line %d: change %d: pool %d of product %d has %d of %d left on day %d at that moment",
				MorningFile, b.Line, b.Change, b.Pool, b.Product, before, capacity, b.Date)
		}
	}
	return nil
}
