import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()
args = config.require_object("args")

flux.MiniCluster(
    config.require("name"),
    image=args["image"],
    size=args["size"],
    namespace=args["namespace"],
    command=args["command"],
)
