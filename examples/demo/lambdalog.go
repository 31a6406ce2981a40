package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// functionLog fetches what the function has logged, without the platform's own
// lines, by the one request that this needs of CloudWatch Logs, and writes it into
// a file.
func functionLog(ctx context.Context, cfg aws.Config, endpoint, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var log strings.Builder
	for token := ""; ; {
		body := map[string]any{"logGroupName": "/aws/lambda/" + functionName}
		if token != "" {
			body["nextToken"] = token
		}
		var page struct {
			Events []struct {
				Message string `json:"message"`
			} `json:"events"`
			NextToken string `json:"nextToken"`
		}
		if err := logsRequest(ctx, cfg, endpoint, body, &page); err != nil {
			return err
		}
		for _, e := range page.Events {
			if word, _, _ := strings.Cut(e.Message, " "); word != "START" && word != "END" && word != "REPORT" {
				log.WriteString(strings.TrimRight(e.Message, "\n") + "\n")
			}
		}
		if token = page.NextToken; token == "" {
			break
		}
	}
	if log.Len() == 0 {
		log.WriteString("the function has logged nothing\n")
	}
	return os.WriteFile(file, []byte(log.String()), 0o600)
}

func logsRequest(ctx context.Context, cfg aws.Config, endpoint string, in, out any) error {
	text, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("ask for the function's log: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("ask for the function's log: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.1")
	req.Header.Set("X-Amz-Target", "Logs_20140328.FilterLogEvents")
	credentials, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("ask for the function's log: %w", err)
	}
	hash := sha256.Sum256(text)
	if err := v4.NewSigner().SignHTTP(ctx, credentials, req, hex.EncodeToString(hash[:]), "logs", cfg.Region, time.Now()); err != nil {
		return fmt.Errorf("ask for the function's log: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("ask for the function's log: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("read the function's log: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask for the function's log: %s: %s", resp.Status, answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("read the function's log: %w", err)
	}
	return nil
}
