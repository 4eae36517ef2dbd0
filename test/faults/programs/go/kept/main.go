package main

import (
	"flux-minicluster.local/sdk/go/fluxminicluster"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		image := pulumi.String(config.New(ctx, "").Require("image"))
		command := pulumi.ToStringArray([]string{"bash", "-c", "mkdir out && echo one >out/a && echo two >'out/b c'"})
		paths := pulumi.ToStringArray([]string{"out/"})

		small, err := fluxminicluster.NewMiniCluster(ctx, "small", &fluxminicluster.MiniClusterArgs{
			Image:      image,
			WorkingDir: pulumi.String("/tmp"),
			Command:    command,
			Results:    fluxminicluster.ResultsArgs{Paths: paths},
		})
		if err != nil {
			return err
		}
		large, err := fluxminicluster.NewMiniCluster(ctx, "large", &fluxminicluster.MiniClusterArgs{
			Image:      image,
			WorkingDir: pulumi.String("/tmp"),
			Command:    command,
			Results:    fluxminicluster.ResultsArgs{Paths: paths, Limit: pulumi.String("1")},
		})
		if err != nil {
			return err
		}

		ctx.Export("kept", small.Results.At())
		ctx.Export("large", large.Results.At())
		return nil
	})
}
