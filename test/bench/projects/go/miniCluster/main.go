package main

import (
	"flux-minicluster.local/sdk/go/fluxminicluster"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

type arguments struct {
	Command   []string `json:"command"`
	Image     string   `json:"image"`
	Namespace string   `json:"namespace"`
	Size      int      `json:"size"`
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		var args arguments
		settings := config.New(ctx, "")
		settings.RequireObject("args", &args)
		_, err := fluxminicluster.NewMiniCluster(ctx, settings.Require("name"), &fluxminicluster.MiniClusterArgs{
			Command:   pulumi.ToStringArray(args.Command),
			Image:     pulumi.String(args.Image),
			Namespace: pulumi.String(args.Namespace),
			Size:      pulumi.Int(args.Size),
		})
		return err
	})
}
