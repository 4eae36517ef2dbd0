package main

import (
	"flux-minicluster.local/sdk/go/fluxminicluster"
	core "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

const sum = `
for number in $NUMBERS; do ((sum += number)); done
echo "$sum"
`

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")

		scripts, err := core.NewConfigMap(ctx, "scripts", &core.ConfigMapArgs{
			Data: pulumi.StringMap{"sum.sh": pulumi.String(sum)},
		})
		if err != nil {
			return err
		}

		// Without a command the cluster is persistent: it takes jobs until `pulumi destroy`.
		workflow, err := fluxminicluster.NewMiniCluster(ctx, "workflow", &fluxminicluster.MiniClusterArgs{
			Image:   pulumi.String(settings.Require("image")),
			Size:    pulumi.Int(2),
			Restful: fluxminicluster.RestfulArgs{Enabled: pulumi.Bool(false)},
			Volumes: fluxminicluster.VolumeArray{fluxminicluster.VolumeArgs{
				Name:      pulumi.String("scripts"),
				MountPath: pulumi.String("/scripts"),
				ConfigMap: scripts.Metadata.Name(),
			}},
		})
		if err != nil {
			return err
		}

		// A job names its cluster by these outputs.
		cluster := fluxminicluster.ClusterReferenceArgs{
			Name:      workflow.Name,
			Namespace: workflow.Namespace,
			Uid:       workflow.Uid,
		}

		numbers, err := fluxminicluster.NewFluxJob(ctx, "numbers", &fluxminicluster.FluxJobArgs{
			Cluster: cluster,
			Command: pulumi.ToStringArray([]string{"seq", "1", "10"}),
		})
		if err != nil {
			return err
		}

		// A job runs after the jobs whose outputs are in its arguments.
		total, err := fluxminicluster.NewFluxJob(ctx, "sum", &fluxminicluster.FluxJobArgs{
			Cluster:     cluster,
			Command:     pulumi.ToStringArray([]string{"bash", "/scripts/sum.sh"}),
			Environment: pulumi.StringMap{"NUMBERS": numbers.Output},
			TimeLimit:   pulumi.Int(60),
		})
		if err != nil {
			return err
		}

		ctx.Export("result", total.Output)
		ctx.Export("exitCode", total.ExitCode)
		return nil
	})
}
