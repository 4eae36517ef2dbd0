"""The events that tell into which files the output of a job goes. Checked: src/shell/output/output.c."""

from .idset import encode_idset
from .job_record import Job
from .mustache import render_tags
from .shell_options import path_of


def redirects_of(job: Job, options: dict) -> list[dict]:
    tags = {"name": job.spec["name"], "id": job.id, "nnodes": len(job.nodes), "ntasks": job.spec["ntasks"]}
    ranks = encode_idset(range(job.spec["ntasks"]), brackets=True)
    paths = {stream: path_of(options, stream) for stream in ("stdout", "stderr")}
    return [
        {"redirect": stream, "ranks": ranks, "path": render_tags(path, tags)}
        for stream, path in paths.items()
        if path is not None
    ]
