package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	hashHeader = "X-Amz-Content-Sha256"
	// unsigned is what services ask for that cannot check a body's hash.
	unsigned       = "UNSIGNED-PAYLOAD"
	latticeService = "vpc-lattice-svcs"
)

// sigV4 signs requests for a service of a region.
type sigV4 struct {
	credentials     aws.CredentialsProvider
	service, region string
	now             func() time.Time
	signer          *v4.Signer
}

func newSigV4(credentials aws.CredentialsProvider, service, region string, now func() time.Time) *sigV4 {
	return &sigV4{credentials: credentials, service: service, region: region, now: now, signer: v4.NewSigner()}
}

func (s *sigV4) sign(r *http.Request, body []byte) error {
	credentials, err := s.credentials.Retrieve(r.Context())
	if err != nil {
		return fmt.Errorf("get credentials: %w", err)
	}
	digest := sha256.Sum256(body)
	hash := hex.EncodeToString(digest[:])
	if s.service == latticeService {
		hash = unsigned
	}
	r.Header.Set(hashHeader, hash)
	return s.signer.SignHTTP(r.Context(), credentials, r, hash, s.service, s.region, s.now())
}
