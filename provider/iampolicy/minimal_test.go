package iampolicy_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// holdMinimal holds that a policy allows what was recorded, that each of its parts is
// needed for that, and each of its conditions to keep something else out.
func holdMinimal(t *testing.T, p policy, recorded []request) {
	t.Helper()
	for _, r := range recorded {
		if !p.allows(r) {
			t.Errorf("denied: %s", r)
		}
	}
	for part, less := range p.smaller() {
		if less.allowsAll(recorded) {
			t.Errorf("not needed: %s", part)
		}
	}
	foreign := foreignTo(recorded)
	for _, r := range foreign {
		if p.allows(r) {
			t.Errorf("allowed, though nobody asks for it: %s", r)
		}
	}
	for condition, more := range p.wider() {
		if !slices.ContainsFunc(foreign, more.allows) {
			t.Errorf("keeps nothing out: %s", condition)
		}
	}
}

// foreignTo is requests like those recorded, but for one thing: another item, an
// attribute or all of them, another table, index, rule or action.
func foreignTo(recorded []request) []request {
	var foreign []request
	for _, r := range recorded {
		for _, f := range variants(r) {
			if !covered(recorded, f) {
				foreign = append(foreign, f)
			}
		}
	}
	return foreign
}

func variants(r request) []request {
	var all []request
	add := func(f request) { all = append(all, f) }
	for _, resource := range []string{r.resource + "x", strings.Replace(r.resource, account, "210987654321", 1), strings.Replace(r.resource, region, "us-east-1", 1)} {
		// Rules, log streams and a table's streams are meant by how they begin.
		open := r.resource == "*" || strings.Contains(r.resource, ":rule/") || strings.Contains(r.resource, ":log-group:") || r.action == "dynamodb:ListStreams"
		if !open || resource != r.resource+"x" {
			f := r
			f.resource = resource
			add(f)
		}
	}
	for _, action := range []string{
		"dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:DeleteTable", "dynamodb:GetItem", "dynamodb:PartiQLDelete", "dynamodb:PartiQLInsert",
		"dynamodb:PartiQLSelect", "dynamodb:PartiQLUpdate", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem",
		"dynamodb:UpdateTable", "dynamodb:UpdateTimeToLive", "events:DisableRule", "events:PutEvents", "lambda:UpdateFunctionCode", "kms:Encrypt",
	} {
		if aboutItems := class(action) != action || action == "dynamodb:UpdateItem"; r.context["dynamodb:LeadingKeys"] != nil || !aboutItems {
			add(as(action, r))
		}
	}
	for key, values := range r.context {
		switch key {
		case "dynamodb:LeadingKeys":
			for _, pk := range []string{"reservation::1", "availabilitySignal::a::b::c::d", "cadenceBucket::5min", "product::a::b::c", "inventoryPool::a"} {
				add(r.with(key, pk))
				if r.action == "dynamodb:BatchGetItem" {
					add(r.with(key, append(slices.Clone(values), pk)...))
				}
			}
		case "dynamodb:Attributes":
			for _, name := range []string{"price", "value", "schedule", "scheduleExpression", "availabilityEstimationPattern", "runBy", "seededBy"} {
				add(r.with(key, append(slices.Clone(values), name)...))
			}
		case "dynamodb:Select":
			add(r.with(key, "ALL_ATTRIBUTES"))
		case "dynamodb:ReturnValues":
			add(r.with(key, "ALL_OLD"))
		case "kms:ViaService":
			add(r.with(key, "s3."+region+".amazonaws.com"))
		}
	}
	return all
}

// as is another action on the same item.
func as(action string, r request) request {
	f := request{action: action, resource: r.resource, context: maps.Clone(r.context)}
	if action == "dynamodb:Scan" && f.context != nil {
		// It is of no partition.
		delete(f.context, "dynamodb:LeadingKeys")
		delete(f.context, "dynamodb:ReturnValues")
		f.context["dynamodb:Select"] = []string{"SPECIFIC_ATTRIBUTES"}
		return f
	}
	if class(action) != class(r.action) && f.context != nil {
		delete(f.context, "dynamodb:Select")
		delete(f.context, "dynamodb:ReturnValues")
		if class(action) == "read" {
			f.context["dynamodb:Select"] = []string{"SPECIFIC_ATTRIBUTES"}
		} else {
			f.context["dynamodb:ReturnValues"] = []string{"NONE"}
		}
	}
	return f
}

// covered is whether whoever may do what was recorded may do f too: it is done to
// such items, and is about no attribute that is not read, or written, of such items.
func covered(recorded []request, f request) bool {
	var same []request
	about := map[string]bool{}
	for _, q := range recorded {
		if class(q.action) != class(f.action) || !sameResource(q.resource, f.resource) || !sameKinds(q, f) {
			continue
		}
		for _, name := range q.context["dynamodb:Attributes"] {
			about[name] = true
		}
		if q.action == f.action {
			same = append(same, q)
		}
	}
	if slices.ContainsFunc(same, wanting("dynamodb:Select", "ALL_ATTRIBUTES")) {
		return true
	}
	for _, name := range f.context["dynamodb:Attributes"] {
		if !about[name] {
			return false
		}
	}
	return slices.ContainsFunc(same, func(q request) bool {
		return slices.Equal(q.context["dynamodb:Select"], f.context["dynamodb:Select"]) &&
			slices.Equal(q.context["kms:ViaService"], f.context["kms:ViaService"]) &&
			returns(q) == returns(f)
	})
}

func wanting(key, value string) func(request) bool {
	return func(r request) bool { return slices.Contains(r.context[key], value) }
}

// returns is whether a write returns any of the item.
func returns(r request) bool {
	values := r.context["dynamodb:ReturnValues"]
	return len(values) > 0 && values[0] != "NONE"
}

// class is what an action does, however it does it.
func class(action string) string {
	switch action {
	case "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query":
		return "read"
	case "dynamodb:PutItem", "dynamodb:PartiQLInsert":
		return "put"
	case "dynamodb:DeleteItem", "dynamodb:PartiQLDelete":
		return "delete"
	}
	return action
}

// sameKinds is whether each item of f is of a kind that q has, too.
func sameKinds(q, f request) bool {
	for _, pk := range f.context["dynamodb:LeadingKeys"] {
		same := func(other string) bool { return kind(q, other) == kind(f, pk) }
		if !slices.ContainsFunc(q.context["dynamodb:LeadingKeys"], same) {
			return false
		}
	}
	return true
}

func sameResource(a, b string) bool {
	if strings.Contains(a, ":rule/") && strings.Contains(b, ":rule/") {
		return strings.Split(a, ":rule/")[0] == strings.Split(b, ":rule/")[0]
	}
	return a == b
}

// kind is what an item is, by its partition key. In the index of globalIds, where
// they are the keys, all are the same.
func kind(r request, pk string) string {
	if strings.HasSuffix(r.resource, "/index/globalId-index") {
		return ""
	}
	kind, _, _ := strings.Cut(pk, "::")
	return kind
}
