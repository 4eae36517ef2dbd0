//go:build !pulumi_3_216 && !pulumi_3_259

package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// The engine's monitor for tests has other types for values than the engine's states.
func toEngine(values resource.PropertyMap) property.Map { return resource.FromResourcePropertyMap(values) }

func fromEngine(values property.Map) resource.PropertyMap { return resource.ToResourcePropertyMap(values) }
