package main

import (
	"flux-minicluster.local/sdk/go/fluxminicluster"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")

		// Four brokers form one Flux instance. Each of four tasks prints the name of its pod.
		cluster, err := fluxminicluster.NewMiniCluster(ctx, "hello", &fluxminicluster.MiniClusterArgs{
			Image:   pulumi.String(settings.Require("image")),
			Size:    pulumi.Int(4),
			Command: pulumi.ToStringArray([]string{"hostname"}),
		})
		if err != nil {
			return err
		}

		ctx.Export("endpoint", cluster.Endpoint)
		ctx.Export("output", cluster.Output)
		ctx.Export("exitCode", cluster.ExitCode)
		ctx.Export("nodes", cluster.Nodes)
		ctx.Export("timings", cluster.Timings)
		return nil
	})
}
