from pathlib import Path

import pulumi
import pulumi_flux_minicluster as flux
from pulumi_kubernetes.core.v1 import ConfigMap

config = pulumi.Config()
size = config.get_int("size") or 2
tasks = config.get_int("tasks") or 2 * size
compiler = config.get("compiler") or "mpicc"
pmi = config.get("pmi")

program = Path(__file__).parent / "../../mpi/bench.c"
source = ConfigMap("source", data={"bench.c": program.read_text(encoding="utf-8")})

cluster = flux.MiniCluster(
    "bench",
    image=config.require("image"),
    size=size,
    tasks=tasks,
    # Flux starts the tasks, and tells the MPI library how they find each other: there is no mpirun.
    command=["/tmp/bench"],
    shell_options={"pmi": pmi} if pmi else {},
    # A core for each task. MPI wants a request for them rather than a limit. This one fits a small machine.
    cores=-(-tasks // size),
    resources={"requests": {"cpu": "100m"}},
    # Each pod compiles the program before its broker starts. An image that has the program needs neither of them.
    volumes=[{"name": "source", "mount_path": "/source", "config_map": source.metadata.name}],
    hooks={"pre": f"{compiler} -O2 -o /tmp/bench /source/bench.c"},
)

pulumi.export("output", cluster.output)
pulumi.export("nodes", cluster.nodes)
pulumi.export("timings", cluster.timings)
