//go:build pin

// Package pin keeps the command in go.mod: `go mod tidy` would drop a module that nothing imports.
package pin

import _ "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go"
