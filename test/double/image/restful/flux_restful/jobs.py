"""Runs jobs with the commands of the stand-in for Flux. Checked: flux_restful/library/flux.py."""

import json
import os
import shlex
import subprocess

ALLOWED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "TZ",
    "TMPDIR",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "MANPATH",
    "LUA_PATH",
    "LUA_CPATH",
    "FLUX_EXEC_PATH",
    "FLUX_MODULE_PATH",
    "FLUX_CONNECTOR_PATH",
)
OPTIONS = {"num_tasks": "-n", "cores_per_task": "-c", "gpus_per_task": "-g", "num_nodes": "-N"}


def submit(asked: dict[str, str], variables: dict[str, str]) -> tuple[int, dict]:
    if not asked.get("command"):
        return 400, {"Message": "A 'command' is minimally required."}
    errors = check(asked)
    if errors:
        return 400, {"Message": "Invalid submit request", "Errors": errors}
    words = [word for name, flag in OPTIONS.items() if name in asked for word in (flag, asked[name])]
    if asked.get("workdir"):
        words += [f"--cwd={asked['workdir']}"]
    passed = [name for name in os.environ.get("FLUX_JOB_ENV_PASSTHROUGH", "").split(",") if name]
    job = {name: value for name, value in os.environ.items() if name in (*ALLOWED, *passed)} | variables
    environment = {**job, "FLUX_URI": os.environ["FLUX_URI"]}
    done = flux(["submit", *words, "--", *shlex.split(asked["command"])], environment)
    if done.returncode:
        return 400, {"Message": "There was an issue submitting that job.", "Error": done.stderr.strip()}
    ident = flux(["job", "id", "--to=dec", done.stdout.strip()])
    return 200, {"Message": "Job submit.", "id": int(ident.stdout)}


def check(asked: dict[str, str]) -> list[str]:
    nodes = int(os.environ.get("FLUX_NUMBER_NODES") or 1)
    if int(asked.get("num_nodes") or 0) > nodes:
        return [f"The server only has {nodes} nodes, you requested {asked['num_nodes']}"]
    if "gpus_per_task" in asked and os.environ.get("FLUX_HAS_GPUS") != "true":
        return ["This server does not support gpus: gpus_per_task cannot be set."]
    return []


def listing() -> tuple[int, dict]:
    return 200, {"jobs": rows(["-a"])}


def detail(ident: str) -> tuple[int, dict]:
    found = rows([ident])
    return (200, found[0]) if found else (404, {"detail": f"Job {ident} not found"})


def output(ident: str) -> tuple[int, dict]:
    """The output of a finished job. flux-restful also returns that of a running one."""
    found = rows([ident])
    text = flux(["job", "attach", "--read-only", "--quiet", ident]).stdout if found and found[0]["t_inactive"] else ""
    if text:
        return 200, {"Output": text.splitlines(keepends=True)}
    return 200, {"Message": "The output does not exist yet, or the jobid is incorrect."}


def cancel(ident: str) -> tuple[int, dict]:
    done = flux(["cancel", ident])
    if done.returncode:
        return 400, {"Message": f"Job cannot be cancelled: {done.stderr.strip()}.", "id": ident}
    return 200, {"Message": "Job is requested to cancel.", "id": ident}


def nodes() -> tuple[int, dict]:
    done = flux(["resource", "list", "--states=up", "--no-header", "--format={ranks}"])
    hosts = flux(["resource", "status", "--states=online", "--no-header", "--format={nodelist}"])
    return (200, {"nodes": hosts.stdout.split()}) if done.returncode == 0 else (503, {"detail": done.stderr.strip()})


def rows(words: list[str]) -> list[dict]:
    done = flux(["jobs", "--json", *words])
    found = json.loads(done.stdout or '{"jobs": []}')["jobs"]
    return [{**job, "id": job["id.dec"]} for job in found]


def flux(words: list[str], environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["flux", *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
