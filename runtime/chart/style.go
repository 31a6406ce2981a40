package chart

import "strings"

const fonts = `system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif`

// The colours. Both scales are told apart by their lightness alone, in print and
// with any colour vision: plenty is next to the paper, nothing left stands out from
// it, and so do old values. What needs attention is a pattern, never a colour alone.
const (
	light = `--bg:#f6f8fa;--card:#ffffff;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--mark:#0b0b0b;--alarm:#c4162a;` +
		`--v0:#083a78;--v1:#2b7fb8;--v2:#4eb3d3;--v3:#8fd3bd;--v4:#d3eecf;--none:#c9cfd6;--void:#ffffff;` +
		`--a0:#efedf5;--a1:#bcbddc;--a2:#807dba;--a3:#6a51a3;--a4:#3f007d`
	dark = `--bg:#0d1117;--card:#161b22;--ink:#e6edf3;--soft:#9aa4af;--line:#3d444d;--mark:#ffffff;--alarm:#ff7b72;` +
		`--v0:#f4f8ff;--v1:#a3c9f0;--v2:#5fb2d6;--v3:#3a938b;--v4:#285e52;--none:#57606a;--void:#161b22;` +
		`--a0:#2a2440;--a1:#4b3f7a;--a2:#7566b5;--a3:#a99ae0;--a4:#e2dcff`
)

// marks are how the parts of a drawing look, by the colours above.
const marks = `text{fill:var(--ink)}.soft{fill:var(--soft)}.strong{font-weight:600}.rule{stroke:var(--line);fill:none}` +
	`.v0{fill:var(--v0)}.v1{fill:var(--v1)}.v2{fill:var(--v2)}.v3{fill:var(--v3)}.v4{fill:var(--v4)}` +
	`.a0{fill:var(--a0)}.a1{fill:var(--a1)}.a2{fill:var(--a2)}.a3{fill:var(--a3)}.a4{fill:var(--a4)}` +
	`.none{fill:var(--none)}.unknown{fill:var(--void);stroke:var(--soft);stroke-dasharray:2 2}` +
	`.mark.pending{fill:var(--mark)}.mark.stale{fill:var(--alarm);stroke:none}` +
	`.pending{fill:url(#due)}.stale{fill:url(#late);stroke:var(--alarm);stroke-width:1.5}`

// patterns are the hatchings of what is due and what is stale.
const patterns = `<defs><pattern id="due" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
	`<path d="M0 0V6" stroke="var(--card)" stroke-width="4"/><path d="M0 0V6" stroke="var(--mark)" stroke-width="2"/></pattern>` +
	`<pattern id="late" width="7" height="7" patternUnits="userSpaceOnUse"><path d="M0 0L7 7M7 0L0 7" stroke="var(--alarm)" stroke-width="1.6"/></pattern></defs>
`

// palette sets the colours for an element, light or dark as the reader has it.
func palette(element string) string {
	return strings.Join([]string{element, "{", light, "}@media(prefers-color-scheme:dark){", element, "{", dark, "}}"}, "")
}
