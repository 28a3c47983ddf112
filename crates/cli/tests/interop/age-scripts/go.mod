module sealane-age-scripts

go 1.25.0

require github.com/rogpeppe/go-internal v1.16.0

require (
	filippo.io/age v1.3.2 // indirect
	filippo.io/hpke v0.4.0 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/term v0.45.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
)

tool filippo.io/age/cmd/age-plugin-batchpass
