import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()

cluster = flux.MiniCluster(
    "code",
    image=config.require("image"),
    size=2,
    # All files of this folder are on all ranks. The command starts there.
    code=flux.CodeArgs(source="../../code/src"),
    command=["python3", "main.py"],
    # What the lead's task has written is in results/code of this folder after the update.
    results=flux.ResultsArgs(paths=["out/"]),
)

pulumi.export("output", cluster.output)
