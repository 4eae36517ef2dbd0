from pathlib import Path

import pulumi
import pulumi_flux_minicluster as flux

config = pulumi.Config()
scripts = Path(__file__).parent / "../../ensemble"
count = config.get_int("members") or 8

ensemble = flux.MiniCluster("ensemble", image=config.require("image"), size=2, restful={"enabled": False})
cluster = flux.ClusterReferenceArgs(name=ensemble.name, namespace=ensemble.namespace, uid=ensemble.uid)


def python(script: str, *words: str) -> list[str]:
    return ["python3", "-c", (scripts / script).read_text(), *words]


def after(job: flux.FluxJob) -> list[flux.AfterArgs]:
    return [flux.AfterArgs(job_id=job.job_id, job_ids=job.job_ids, phase=job.phase)]


# With `wait=False`, all jobs are in Flux' queue at once. Flux keeps their order, also without Pulumi.
simulate = flux.FluxJob(
    "simulate",
    cluster=cluster,
    array={"count": count},
    command=python("simulate.py", "{{index}}"),
    wait=False,
)

analyse = flux.FluxJob(
    "analyse",
    cluster=cluster,
    array={"count": count},
    after=after(simulate),
    command=python("analyse.py"),
    environment={"SIMULATIONS": simulate.job_ids.apply(" ".join)},
    wait=False,
)

summarise = flux.FluxJob(
    "summarise",
    cluster=cluster,
    after=after(analyse),
    command=python("summarise.py"),
    environment={"ANALYSES": analyse.job_ids.apply(" ".join)},
)

pulumi.export("summary", summarise.output)
