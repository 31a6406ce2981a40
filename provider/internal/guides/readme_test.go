package guides_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// blocks are the blocks of code of a page that are in a language.
func blocks(t *testing.T, page, language string) []string {
	t.Helper()
	var found []string
	for _, b := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text(t, page), -1) {
		found = append(found, b[1])
	}
	if len(found) == 0 {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return found
}

// named puts other names in the place of those that a page has.
func named(t *testing.T, in string, names map[string]string) string {
	t.Helper()
	for from, to := range names {
		if !strings.Contains(in, from) {
			t.Fatalf("there is no %s in\n%s", from, in)
		}
		in = strings.ReplaceAll(in, from, to)
	}
	return in
}

// sh runs commands in the root of the source, and returns what they print.
func sh(t *testing.T, folder, commands string, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	cmd.Dir, cmd.Env = filepath.Join(root, folder), append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\n%s", err, commands, out)
	}
	return string(out)
}

// The README's configuration, for a function that is there already.
func readme(t *testing.T, g *guide) {
	table := acctest.Table(t)
	g.Write("main.tf", later.Replace(named(t, blocks(t, "README.md", "hcl")[0], map[string]string{
		"aws_lambda_function.runtime.arn": strconv.Quote(functionARN), `"signals"`: strconv.Quote(table),
	})))
	g.Init()
	g.apply()
	// From May to the 27th of October.
	if n := len(signals(t, table, campPK)); n != 180 {
		t.Errorf("the season has %d dates", n)
	}
	g.destroy()
}

const readmeProgram = `package main

import (
	"context"
	"log"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func main() {
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		log.Fatal(err)
	}
	{
		%s
		if err != nil {
			log.Fatal(err)
		}
	}
}
`

// The README's Go flips.
func TestReadme_go(t *testing.T) {
	t.Parallel()
	table := acctest.Table(t)
	store := dynamo.NewStore(acctest.DynamoDB(t), table)
	key := first.Key()
	item := signal.Item{"pk": signal.S(key.PK), "sk": signal.S(key.SK), "schema": signal.S("availabilitySignal"), "gsisk": signal.S("clean"), "rev": signal.N(3)}
	if _, err := store.Write(t.Context(), protocol.Write{Kind: protocol.Put, Key: key, Item: item}); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "main.go")
	snippet := named(t, blocks(t, "README.md", "go")[0], map[string]string{`"signals"`: strconv.Quote(table)})
	if err := os.WriteFile(program, fmt.Appendf(nil, readmeProgram, snippet), 0o600); err != nil {
		t.Fatal(err)
	}
	// A package of this module that is in no folder of it.
	folder, err := filepath.Abs(filepath.Join(root, "readme"))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, "main.go"): program}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	sh(t, "", "go run -overlay "+file+" ./readme")
	is, err := store.Get(t.Context(), key)
	if err != nil || is.Text("gsisk") != "dirty" || is.Int("rev") < 4 {
		t.Errorf("after the flip it is %v, %v", is, err)
	}
}

// The alarms and the dashboard without Terraform.
func TestObservability_withoutTerraform(t *testing.T) {
	local(t)
	sh(t, "examples/observability", strings.Join(blocks(t, "examples/observability/README.md", "sh"), "\n"))
	alarms := sh(t, "", "aws cloudwatch describe-alarms --alarm-name-prefix availability-reservations-5min --query 'length(MetricAlarms)' --output text")
	board := sh(t, "", "aws cloudwatch list-dashboards --query 'DashboardEntries[].DashboardName' --output text")
	if strings.TrimSpace(alarms) == "0" || !strings.Contains(board, "availability-reservations") {
		t.Errorf("there are %s alarms, and the dashboards %s", alarms, board)
	}
}

// What the pages on scaling and on alternatives have reckoned is had by their
// commands.
func TestCapacity_commands(t *testing.T) {
	t.Parallel()
	for _, commands := range blocks(t, "docs/scaling.md", "sh") {
		sh(t, "", commands)
	}
	got := sh(t, "", text(t, "examples/guides/alternatives/capacity.sh"))
	if want := text(t, "examples/guides/alternatives/capacity.txt"); !strings.Contains(got, want) {
		t.Errorf("it prints\n%s\nwhich has not\n%s", got, want)
	}
}

var (
	made   = regexp.MustCompile(`\bmake ([a-z]+)`)
	target = regexp.MustCompile(`(?m)^([a-z]+):`)
)

// Whatever a page says can be made can be made.
func TestPages_targets(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	for _, found := range target.FindAllStringSubmatch(text(t, "GNUmakefile"), -1) {
		there[found[1]] = true
	}
	code := regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	for _, pattern := range []string{"*.md", ".github/*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md", "runtime/cmd/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: no pages, %v", pattern, err)
		}
		for _, page := range pages {
			name, err := filepath.Rel(root, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range code.FindAllString(text(t, name), -1) {
				for _, found := range made.FindAllStringSubmatch(in, -1) {
					if !there[found[1]] {
						t.Errorf("%s: there is no target %s", name, found[1])
					}
				}
			}
		}
	}
}
