from pathlib import Path

import pulumi
import pulumi_flux_minicluster as flux
from pulumi_kubernetes.core.v1 import ConfigMap

config = pulumi.Config()
size = config.get_int("size") or 2
gpus = config.get_int("gpus") or 0

# The same program as that of examples/pytorch.
train = Path(__file__).resolve().parents[2] / "pytorch" / "train.py"
program = ConfigMap("program", data={"train.py": train.read_text()})

cluster = flux.MiniCluster(
    "train",
    image=config.require("image"),
    size=size,
    tasks=size * max(1, gpus),
    gpus_per_task=1 if gpus else None,
    command=["python3", "/program/train.py"],
    rendezvous={},
    # When Kubernetes removes a pod, the command waits for the new one and starts again. Before, it has 30 s to save its
    # state.
    on_rank_loss=flux.OnRankLoss.RERUN,
    checkpoint={"seconds": 30},
    volumes=[
        {"name": "program", "mount_path": "/program", "config_map": program.metadata.name},
        {"name": "data", "mount_path": "/data", "persistent_volume_claim": config.get("claim") or "data"},
    ],
    environment={
        "CHECKPOINT": "/data/checkpoint.pt",
        "STEPS": config.get("steps") or "600",
        "SAVE_EVERY": config.get("saveEvery") or "50",
        "STEP_SECONDS": config.get("stepSeconds") or "0.1",
        "OMP_NUM_THREADS": "1",
    },
    placement=flux.Placement.EXCLUSIVE if gpus else None,
    resources={"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else None,
    shared_memory="8Gi" if gpus else None,
)

pulumi.export("output", cluster.output)
pulumi.export("exitCode", cluster.exit_code)
