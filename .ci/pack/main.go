// Command pack makes a Lambda package of a bootstrap: pack PROGRAM ZIP.
package main

import (
	"bytes"
	"log"
	"os"

	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: pack PROGRAM ZIP")
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func pack(program, zip string) error {
	file, err := os.Open(program)
	if err != nil {
		return err
	}
	defer file.Close()
	var packed bytes.Buffer
	if err := bundle.Pack(&packed, file); err != nil {
		return err
	}
	return bundle.Package{Zip: packed.Bytes()}.WriteFile(zip)
}
