package bundle

import (
	"archive/zip"
	"compress/flate"
	"fmt"
	"io"
	"time"
)

// Pack writes the package of a program. The same program makes the same bytes, on
// whatever machine and day.
func Pack(w io.Writer, program io.Reader) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	header := &zip.FileHeader{Name: Handler, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o755)
	file, err := archive.CreateHeader(header)
	if err == nil {
		_, err = io.Copy(file, program)
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		return fmt.Errorf("pack %s: %w", Handler, err)
	}
	return nil
}
