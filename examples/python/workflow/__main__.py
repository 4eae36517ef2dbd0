import pulumi
import pulumi_flux_minicluster as flux
from pulumi_kubernetes.core.v1 import ConfigMap

config = pulumi.Config()

SUM = """
for number in $NUMBERS; do ((sum += number)); done
echo "$sum"
"""

scripts = ConfigMap("scripts", data={"sum.sh": SUM})

# Without a command the cluster is persistent: it takes jobs until `pulumi destroy`.
workflow = flux.MiniCluster(
    "workflow",
    image=config.require("image"),
    size=2,
    restful={"enabled": False},
    volumes=[{"name": "scripts", "mount_path": "/scripts", "config_map": scripts.metadata.name}],
)

# A job names its cluster by these outputs.
cluster = flux.ClusterReferenceArgs(name=workflow.name, namespace=workflow.namespace, uid=workflow.uid)

numbers = flux.FluxJob("numbers", cluster=cluster, command=["seq", "1", "10"])

# A job runs after the jobs whose outputs are in its arguments.
total = flux.FluxJob(
    "sum",
    cluster=cluster,
    command=["bash", "/scripts/sum.sh"],
    environment={"NUMBERS": numbers.output},
    time_limit=60,
)

pulumi.export("result", total.output)
pulumi.export("exitCode", total.exit_code)
