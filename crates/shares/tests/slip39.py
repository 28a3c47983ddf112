"""Splits and combines with the package shamir-mnemonic, for tests/exchange.rs.

"split GROUP_THRESHOLD K/N,K/N,... SECRET PASSPHRASE EXTENDABLE EXPONENT" prints one mnemonic in
each line, and "-" after each group. "combine PASSPHRASE" reads one mnemonic from each line, and
prints the secret. Secrets are hexadecimal.
"""

import sys

import shamir_mnemonic

command, *arguments = sys.argv[1:]
if command == "split":
    group_threshold, groups, secret, passphrase, extendable, exponent = arguments
    made = shamir_mnemonic.generate_mnemonics(
        int(group_threshold),
        [tuple(map(int, group.split("/"))) for group in groups.split(",")],
        bytes.fromhex(secret),
        passphrase.encode(),
        extendable == "true",
        int(exponent),
    )
    for group in made:
        print("\n".join(group))
        print("-")
elif command == "combine":
    mnemonics = sys.stdin.read().splitlines()
    print(shamir_mnemonic.combine_mnemonics(mnemonics, arguments[0].encode()).hex())
else:
    sys.exit("split or combine")
