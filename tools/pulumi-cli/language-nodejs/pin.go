//go:build pin

// Package pin keeps the commands in go.mod: `go mod tidy` would drop a module that nothing imports.
package pin

import (
	_ "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs"
	_ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
)
