package main

import (
	"flux-minicluster.local/sdk/go/fluxminicluster"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		image := pulumi.String(settings.Require("image"))

		var minSize pulumi.IntPtrInput
		if size, err := settings.TryInt("minSize"); err == nil {
			minSize = pulumi.Int(size)
		}
		first, err := fluxminicluster.NewMiniCluster(ctx, "first", &fluxminicluster.MiniClusterArgs{
			Image:      image,
			Size:       pulumi.Int(settings.RequireInt("size")),
			MinSize:    minSize,
			MaxSize:    pulumi.Int(3),
			Tasks:      nil,
			Kubeconfig: settings.RequireSecret("kubeconfig"),
			Environment: pulumi.StringMap{
				"PASSWORD": settings.RequireSecret("password"),
				"PLAIN":    pulumi.String("plain"),
			},
		})
		if err != nil {
			return err
		}
		second, err := fluxminicluster.NewMiniCluster(ctx, "second", &fluxminicluster.MiniClusterArgs{
			Image:   image,
			Restful: fluxminicluster.RestfulArgs{Enabled: pulumi.Bool(false)},
		})
		if err != nil {
			return err
		}

		ctx.Export("uids", pulumi.StringArray{first.Uid, second.Uid})
		ctx.Export("phase", first.Phase)
		ctx.Export("token", first.RestfulToken)
		return nil
	})
}
