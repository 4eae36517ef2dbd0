import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()

# The brokers form one Flux instance. Each of the tasks prints the name of its pod.
cluster = flux.MiniCluster(
    "hello",
    image=config.require("image"),
    size=config.require_int("size"),
    command=["hostname"],
)

pulumi.export("output", cluster.output)
pulumi.export("exitCode", cluster.exit_code)
