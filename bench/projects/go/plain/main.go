package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

var types = map[string]string{
	"configMap": "kubernetes:core/v1:ConfigMap",
	"headless":  "kubernetes:core/v1:Service",
	"job":       "kubernetes:batch/v1:Job",
	"lead":      "kubernetes:core/v1:Service",
	"secret":    "kubernetes:core/v1:Secret",
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		var objects map[string]map[string]any
		config.New(ctx, "").RequireObject("objects", &objects)
		for name, object := range objects {
			var resource pulumi.CustomResourceState
			if err := ctx.RegisterResource(types[name], name, pulumi.ToMap(object), &resource); err != nil {
				return err
			}
		}
		return nil
	})
}
