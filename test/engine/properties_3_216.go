//go:build pulumi_3_216 || pulumi_3_259

package main

import "github.com/pulumi/pulumi/sdk/v3/go/common/resource"

func toEngine(values resource.PropertyMap) resource.PropertyMap { return values }

func fromEngine(values resource.PropertyMap) resource.PropertyMap { return values }
