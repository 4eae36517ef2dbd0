from pathlib import Path

import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()
scripts = Path(__file__).parent / "../../sweep"

sweep = flux.MiniCluster("sweep", image=config.require("image"), size=2, restful={"enabled": False})
cluster = flux.ClusterReferenceArgs(name=sweep.name, namespace=sweep.namespace, uid=sweep.uid)

# One job for each of 30 growth rates from 2.5 to 3.95. Flux runs as many at a time as there are free cores.
simulate = flux.FluxJob(
    "simulate",
    cluster=cluster,
    array={"values": [f"{2.5 + index * 0.05:.2f}" for index in range(30)]},
    command=["python3", "-c", (scripts / "simulate.py").read_text(), "{{value}}"],
    time_limit=60,
)

plot = flux.FluxJob(
    "plot",
    cluster=cluster,
    after=[{"job_id": simulate.job_id, "job_ids": simulate.job_ids, "phase": simulate.phase}],
    command=["python3", "-c", (scripts / "plot.py").read_text()],
    environment={"SIMULATIONS": simulate.job_ids.apply(" ".join)},
    output={"max_bytes": 200_000},
)

pulumi.export("simulated", simulate.elements.apply(lambda elements: elements and elements.succeeded))
pulumi.export("picture", plot.output)
