// Command vault-shamir splits and combines as Vault does, for crates/shares/tests/exchange.rs.
//
// Its arguments are "split PARTS THRESHOLD SECRET" or "combine SHARE…", all in hexadecimal digits
// but the numbers.
package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"strconv"

	"sealane-vault-shamir/shamir"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 4 && arguments[0] == "split" {
		parts, err := strconv.Atoi(arguments[1])
		if err != nil {
			return err
		}
		threshold, err := strconv.Atoi(arguments[2])
		if err != nil {
			return err
		}
		secret, err := hex.DecodeString(arguments[3])
		if err != nil {
			return err
		}
		shares, err := shamir.Split(secret, parts, threshold)
		if err != nil {
			return err
		}
		for _, share := range shares {
			fmt.Println(hex.EncodeToString(share))
		}
		return nil
	}
	if len(arguments) > 1 && arguments[0] == "combine" {
		var shares [][]byte
		for _, argument := range arguments[1:] {
			share, err := hex.DecodeString(argument)
			if err != nil {
				return err
			}
			shares = append(shares, share)
		}
		secret, err := shamir.Combine(shares)
		if err != nil {
			return err
		}
		fmt.Println(hex.EncodeToString(secret))
		return nil
	}
	return fmt.Errorf("usage: split PARTS THRESHOLD SECRET, or combine SHARE...")
}
