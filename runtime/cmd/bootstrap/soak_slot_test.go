package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// chaos is what happens to requests and processes while there is load.
type chaos struct {
	*soak
	mu sync.Mutex
	// nextKill is when the next process is to be killed.
	nextKill                           time.Time
	calmed                             atomic.Bool
	throttled, conflicts, lost, unsent atomic.Int64
	// bucket is the one that was triggered last, to be triggered by another, too.
	bucket atomic.Int64
}

func (c *chaos) String() string {
	return fmt.Sprintf("%d throttled, %d conflicts, %d answers lost, %d requests lost", c.throttled.Load(), c.conflicts.Load(), c.lost.Load(), c.unsent.Load())
}

func (c *chaos) calm() { c.calmed.Store(true) }

// fate is what happens to a request. Every ten seconds the table is over its rate
// for one.
func (c *chaos) fate(random float64, kind string) fate {
	if c.calmed.Load() {
		return delivered
	}
	throttling := 0.01
	if time.Since(c.began)%(10*time.Second) < time.Second {
		throttling = 0.3
	}
	switch {
	case random < throttling:
		c.throttled.Add(1)
		return throttled
	case random < throttling+0.01 && (kind == "claim" || kind == "finish"):
		c.conflicts.Add(1)
		return conflicting
	case random < throttling+0.02:
		c.lost.Add(1)
		return answerLost
	case random < throttling+0.025:
		c.unsent.Add(1)
		return neverSent
	}
	return delivered
}

// kills is whether the next process is to be killed now. In the last part of the load
// none is, so that the buckets are free in the end.
func (c *chaos) kills() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.After(c.nextKill) && c.passed() < 0.8 && !c.calmed.Load() {
		c.nextKill = now.Add(soakKill)
		return true
	}
	return false
}

// sent is what DynamoDB made of the requests of an invocation.
type sent struct {
	// claims were granted and finishes applied; unknown are those whose outcome not
	// even the network knows.
	claims, finishes, unknown int64
}

// instance is a process, with a network of its own: what is still under way when it is
// killed is counted for nobody else.
type instance struct {
	*lambda
	chaos *chaos

	mu   sync.Mutex
	sent sent
	// killAt is after how many more requests it is killed, if it is positive.
	killAt int
}

func (i *instance) note(kind string, status int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case kind != "claim" && kind != "finish":
	case status >= http.StatusInternalServerError:
		i.sent.unknown++
	case status != http.StatusOK:
	case kind == "claim":
		i.sent.claims++
	default:
		i.sent.finishes++
	}
}

// begin begins an invocation in which nothing is sent yet.
func (i *instance) begin(kill int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.sent = sent{}
	if kill > 0 {
		i.killAt = kill
	}
}

func (i *instance) hasSent() sent {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.sent
}

// slot is a function: one invocation at a time, and a process that is started again
// when it was killed.
type slot struct {
	*soak
	bootstrap     string
	chaos         *chaos
	writers       *soakWriters
	sums          *soakSums
	random, fates *mathrand.Rand
	process       *instance
	// logs are those of the processes so far.
	logs []logFile
}

func newSlot(s *soak, bootstrap string, c *chaos, w *soakWriters, sums *soakSums, seed uint64) *slot {
	s.t.Helper()
	p := &slot{
		soak: s, bootstrap: bootstrap, chaos: c, writers: w, sums: sums,
		random: mathrand.New(mathrand.NewPCG(11, seed)), fates: mathrand.New(mathrand.NewPCG(13, seed)),
	}
	p.start()
	return p
}

func (p *slot) start() {
	i := &instance{chaos: p.chaos}
	random := mathrand.New(mathrand.NewPCG(p.fates.Uint64(), 0))
	n, endpoint := newNetwork(p.t, func(kind string, _ int) fate {
		i.mu.Lock()
		of := random.Float64()
		i.killAt--
		kill := i.killAt == 0
		i.mu.Unlock()
		switch {
		case kill && of < 0.5:
			i.kill()
			return neverSent
		case kill:
			return killing
		}
		return i.chaos.fate(of, kind)
	})
	n.killed, n.answered, n.meanwhile = func() { i.kill() }, i.note, p.writers.race
	i.lambda = start(p.t, p.bootstrap, lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": p.store.Table(), "AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AVAILABILITY_LOG_LEVEL": "error",
	}))
	p.process = i
	p.logs = append(p.logs, i.log)
}

// serve is triggered again and again until the load is over.
func (p *slot) serve() {
	for !p.over() {
		bucket := int64(p.random.IntN(soakBuckets))
		if p.random.IntN(3) == 0 {
			bucket = p.chaos.bucket.Load()
		}
		p.chaos.bucket.Store(bucket)
		kill := 0
		if p.chaos.kills() {
			kill = 20 + p.random.IntN(60)
		}
		p.trigger(int(bucket), kill, time.Duration(4+p.random.IntN(16))*time.Second)
		time.Sleep(time.Duration(p.random.IntN(200)) * time.Millisecond)
	}
}

// trigger runs a bucket once.
func (p *slot) trigger(bucket, kill int, timeout time.Duration) {
	p.process.begin(kill)
	a, err := p.process.try(fmt.Sprintf(`{"cadenceBucket": %q}`, signal.BucketID(soakBucket(bucket))), timeout)
	switch {
	case errors.Is(err, errEnded):
		p.sums.crash()
		p.start()
		return
	case err != nil:
		p.t.Errorf("bucket %d: %v", bucket, err)
		return
	case a.ErrorMessage != "":
		p.sums.failed(a.ErrorType)
		return
	}
	var r check.Report
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		p.t.Errorf("answer %s: %v", a.body, err)
		return
	}
	p.sums.add(p.t, r, p.process.hasSent())
}

// end hands the logs over.
func (p *slot) end() {
	for _, log := range p.logs {
		p.sums.read(p.t, log.String())
	}
}
