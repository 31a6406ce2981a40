package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// selector is the file that tells a folder's code which mutant it is, and notes the
// places that are met on the way, if it is told where.
const selector = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantOn, _ = strconv.Atoi(os.Getenv("` + mutantEnv + `"))
	mutantNotes = os.Getenv("` + notesEnv + `")
	mutantMet   sync.Map
)

func mutantAt(place int) int {
	if mutantNotes == "" {
		return mutantOn
	}
	if _, again := mutantMet.LoadOrStore(place, true); !again {
		notes, err := os.OpenFile(mutantNotes, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		if _, err := notes.WriteString(strconv.Itoa(place) + "\n"); err != nil {
			panic(err)
		}
		notes.Close()
	}
	return mutantOn
}
`

const (
	mutantEnv = "MUTANT"
	notesEnv  = "MUTANT_NOTES"
)

// region is a place and the mutants of it, whose texts may stand there instead. The
// first one's number is the place's.
type region struct {
	from, to int
	kind     kind
	mutants  []numbered
}

type numbered struct {
	number int
	text   string
}

// instrument makes all mutants of a file one, which is that of the number that its
// process is told, or none.
func instrument(source []byte, mutants []mutant, numbers map[string]int) string {
	at := map[[2]int]*region{}
	var regions []*region
	for _, m := range mutants {
		place := [2]int{m.from, m.to}
		if at[place] == nil {
			at[place] = &region{from: m.from, to: m.to, kind: m.kind}
			regions = append(regions, at[place])
		}
		at[place].mutants = append(at[place].mutants, numbered{numbers[m.name], m.text})
	}
	// The outer ones first.
	slices.SortFunc(regions, func(a, b *region) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return render(source, regions, 0, len(source))
}

// render is a part of the source with its regions, which lie within it.
func render(source []byte, regions []*region, from, to int) string {
	var b strings.Builder
	for len(regions) > 0 {
		r := regions[0]
		inner := 1
		for inner < len(regions) && regions[inner].from < r.to {
			inner++
		}
		b.Write(source[from:r.from])
		b.WriteString(r.choice(render(source, regions[1:inner], r.from, r.to)))
		from, regions = r.to, regions[inner:]
	}
	b.Write(source[from:to])
	return b.String()
}

// choice is the code that is one of the mutants, or what was there.
func (r *region) choice(original string) string {
	var b strings.Builder
	if r.kind != statement {
		fmt.Fprintf(&b, "func() %s { ", r.kind)
	}
	fmt.Fprintf(&b, "switch mutantAt(%d) { ", r.mutants[0].number)
	for _, m := range r.mutants {
		text := m.text
		if r.kind != statement {
			text = "return " + text
		}
		fmt.Fprintf(&b, "case %d: %s; ", m.number, text)
	}
	if r.kind == statement {
		fmt.Fprintf(&b, "default: %s }", original)
	} else {
		fmt.Fprintf(&b, "}; return %s }()", original)
	}
	return b.String()
}

// places are the numbers of the mutants' places.
func places(mutants []mutant) []int {
	type place struct {
		file     string
		from, to int
	}
	first := map[place]int{}
	numbers := make([]int, len(mutants))
	for i, m := range mutants {
		at := place{m.file, m.from, m.to}
		if first[at] == 0 {
			first[at] = i + 1
		}
		numbers[i] = first[at]
	}
	return numbers
}

func packageName(folder string) string { return filepath.Base(folder) }
