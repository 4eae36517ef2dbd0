import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()

first = flux.MiniCluster(
    "first",
    image=config.require("image"),
    size=config.require_int("size"),
    min_size=config.get_int("minSize"),
    max_size=3,
    tasks=None,
    kubeconfig=config.require_secret("kubeconfig"),
    environment={"PASSWORD": config.require_secret("password"), "PLAIN": "plain"},
)
second = flux.MiniCluster("second", image=config.require("image"), restful={"enabled": False})

pulumi.export("uids", [first.uid, second.uid])
pulumi.export("phase", first.phase)
pulumi.export("token", first.restful_token)
