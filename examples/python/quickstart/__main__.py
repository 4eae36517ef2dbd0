import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()

# Four brokers form one Flux instance. Each of four tasks prints the name of its pod.
cluster = flux.MiniCluster(
    "hello",
    image=config.require("image"),
    size=4,
    command=["hostname"],
)

pulumi.export("endpoint", cluster.endpoint)
pulumi.export("output", cluster.output)
pulumi.export("exitCode", cluster.exit_code)
pulumi.export("nodes", cluster.nodes)
pulumi.export("timings", cluster.timings)
