package main

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		var objects map[string]map[string]any
		config.New(ctx, "").RequireObject("objects", &objects)
		for name, object := range objects {
			var resource pulumi.CustomResourceState
			if err := ctx.RegisterResource(token(object), name, pulumi.ToMap(object), &resource); err != nil {
				return err
			}
		}
		return nil
	})
}

func token(object map[string]any) string {
	version := object["apiVersion"]
	if version == "v1" {
		version = "core/v1"
	}
	return fmt.Sprintf("kubernetes:%s:%s", version, object["kind"])
}
