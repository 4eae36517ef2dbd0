"""Builds the job manager's request from the options of `flux run` and `flux submit`.

Checked: src/bindings/python/flux/cli/base.py, job/Jobspec.py (from_command, per_resource),
job/_utils.py (rules for the environment).
"""

import fnmatch
import json
import math
import os
import re
import string

from .constraints import parse_constraint
from .dependencies import parse_dependencies
from .duration import parse_duration
from .errors import Refusal
from .options import NOT_IMPLEMENTED, Options, Parsed
from .shell_options import shell_options

# base.py: MiniCmd.create_parser and SubmitBaseCmd
COMMON = """q/queue= t/time-limit= urgency= job-name= o/setopt= env= env-remove= env-file= u/unbuffered l/label-io cwd=
flags= dry-run dry quiet N/nodes= x/exclusive n/ntasks= c/cores-per-task= g/gpus-per-task= cores= tasks-per-node=
v/verbose requires= require= rlimit= S/setattr= dependency= signal= input= output= error="""
COMMON_REAL = """B/bank= add-file= begin-time= list-plugins debug-emulate taskmap= tasks-per-core= gpus-per-node="""
COUNTS = (
    "ntasks",
    "nodes",
    "cores",
    "cores-per-task",
    "gpus-per-task",
    "tasks-per-node",
)
URGENCIES = {"default": 16, "hold": 0, "expedite": 31}


def submit_options(program: str, done: str, real: str) -> Options:
    return Options(
        program, "[OPTIONS...] COMMAND [ARGS...]", f"{COMMON} {done}", f"{COMMON_REAL} {real}", style="argparse"
    )


def fail(program: str, text: str) -> Refusal:
    return Refusal(f"{program.replace(' ', '-')}: ERROR: {text}")


def make_jobspec(program: str, parsed: Parsed) -> dict:
    """Builds the request for the job manager. Raises Refusal with the messages of flux-core."""
    try:
        return build(parsed)
    except ValueError as error:
        raise fail(program, str(error)) from None


def build(parsed: Parsed) -> dict:
    command = parsed.rest
    if not command:
        raise ValueError("job command and arguments are missing")
    counts = {name: read_count(parsed, name) for name in COUNTS}
    wanted, ntasks, extra = count_resources(counts, parsed.has("exclusive"))
    wanted["constraint"] = constraint_of([v for n in ("requires", "require") for v in parsed.all(n)])
    return {
        "command": command,
        "name": parsed.get("job-name") or os.path.basename(command[0]),
        "env": job_environment(parsed),
        "cwd": parsed.get("cwd") or os.getcwd(),
        "ntasks": ntasks,
        "wanted": wanted,
        "shell": shell_options(parsed),
        "dependencies": parse_dependencies(parsed.all("dependency")),
        "queue": parsed.get("queue"),
        "duration": time_limit(parsed.get("time-limit")),
        "unbuffered": parsed.has("unbuffered"),
        "user": user_attributes(parsed.all("setattr")),
        **extra,
    }


def read_count(parsed: Parsed, name: str) -> int | None:
    text = parsed.get(name)
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"--{name}: invalid int value '{text}'") from None


def count_resources(counts: dict, exclusive: bool) -> tuple[dict, int, dict]:
    """(resources wanted, number of tasks, tasks per node)."""
    if counts["tasks-per-node"] is not None and counts["tasks-per-node"] < 1:
        raise ValueError("--tasks-per-node must be >= 1")
    if counts["tasks-per-node"] is not None or counts["cores"] is not None:
        return count_per_resource(counts, exclusive)
    return count_per_task(counts, exclusive)


def count_per_task(counts: dict, exclusive: bool) -> tuple[dict, int, dict]:
    nodes, ntasks = counts["nodes"], counts["ntasks"]
    if not ntasks and nodes:
        ntasks, exclusive = nodes, True
    ntasks = ntasks or 1
    cores = counts["cores-per-task"] or 1
    gpus = counts["gpus-per-task"] or 0
    if ntasks < 1:
        raise ValueError("task count must be a integer >= 1")
    if cores < 1:
        raise ValueError("cores per task must be an integer >= 1")
    if gpus < 0:
        raise ValueError("gpus per task must be an integer >= 0")
    check_nodes(nodes, exclusive)
    if nodes and nodes > ntasks:
        raise ValueError("node count must not be greater than task count")
    slots = math.ceil(ntasks / nodes) * nodes if nodes else ntasks
    return request(nodes, slots, cores, gpus, exclusive), ntasks, {}


def check_nodes(nodes: int | None, exclusive: bool) -> None:
    if nodes is not None and nodes < 1:
        raise ValueError("node count must be an integer >= 1 (if set)")
    if nodes is None and exclusive:
        raise ValueError("exclusive can only be set with a node count")


def count_per_resource(counts: dict, exclusive: bool) -> tuple[dict, int, dict]:
    if counts["ntasks"] is not None or counts["cores-per-task"] is not None or counts["gpus-per-task"]:
        raise ValueError("Per-resource options can't be used with per-task options. (See --help for details)")
    nodes, cores = counts["nodes"], counts["cores"]
    exclusive = exclusive or bool(nodes and cores is None)
    check_nodes(nodes, exclusive)
    if not nodes and not cores:
        raise ValueError("must specify node or core count with per_resource")
    extra = {"tasks_per_node": counts["tasks-per-node"]}
    if nodes and cores:
        if cores < nodes:
            raise ValueError("number of cores cannot be less than nnodes")
        if cores % nodes:
            raise ValueError("number of cores must be evenly divisible by node count")
        return request(nodes, nodes, cores // nodes, 0, exclusive), nodes, extra
    if cores:
        return request(None, cores, 1, 0, exclusive), cores, extra
    return request(nodes, nodes, 1, 0, True), nodes, extra


def request(nodes: int | None, slots: int, cores: int, gpus: int, exclusive: bool) -> dict:
    return {"nodes": nodes or 0, "slots": slots, "cores": cores, "gpus": gpus, "exclusive": exclusive}


def constraint_of(texts: list[str]) -> dict | None:
    if not texts:
        return None
    text = " ".join(texts)
    try:
        return parse_constraint(text)
    except ValueError as error:
        raise ValueError(f"--requires='{text}': {error}") from None


def canonical(spec: dict) -> dict:
    """The jobspec in the form of RFC 25."""
    wanted = spec["wanted"]
    children = [{"type": "core", "count": wanted["cores"]}]
    if wanted["gpus"]:
        children.append({"type": "gpu", "count": wanted["gpus"]})
    slots = wanted["slots"] // wanted["nodes"] if wanted["nodes"] else wanted["slots"]
    resources = {"type": "slot", "count": slots, "with": children, "label": "task"}
    if wanted["nodes"]:
        resources = {"type": "node", "count": wanted["nodes"], "with": [resources]}
        if wanted["exclusive"]:
            resources["exclusive"] = True
    uneven = spec["ntasks"] != wanted["slots"]
    count = {"total": spec["ntasks"]} if uneven else {"per_slot": 1}
    options = dict(spec["shell"])
    if spec.get("tasks_per_node"):
        options["per-resource"] = {"type": "node", "count": spec["tasks_per_node"]}
    system = {
        "duration": spec["duration"],
        "environment": spec["env"],
        "cwd": spec["cwd"],
        "job": {"name": spec["name"]},
        "shell": {"options": options},
        **{name: value for name, value in (("queue", spec["queue"]), ("constraints", wanted["constraint"])) if value},
        **({"dependencies": spec["dependencies"]} if spec["dependencies"] else {}),
    }
    attributes = {"system": system, **({"user": spec["user"]} if spec["user"] else {})}
    return {
        "resources": [resources],
        "tasks": [{"command": spec["command"], "slot": "task", "count": count}],
        "attributes": attributes,
        "version": 1,
    }


def user_attributes(settings: list[str]) -> dict:
    """The attributes of --setattr=user.A.B=VALUE. VALUE may be JSON. Refuses attributes that are not the user's."""
    found: dict = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        parts = key.removeprefix(".").removeprefix("attributes.").split(".")
        if parts[0] != "user" or len(parts) < 2:
            raise Refusal(
                f"flux: stand-in: --setattr={setting} may exist in flux-core but is not implemented here",
                NOT_IMPLEMENTED,
            )
        at = found
        for part in parts[1:-1]:
            at = at.setdefault(part, {})
        at[parts[-1]] = json_or_text(text) if equals else 1
    return found


def json_or_text(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def time_limit(text: str | None) -> float:
    """Seconds. A number without a unit is in minutes."""
    if text is None:
        return 0.0
    try:
        return float(text) * 60
    except ValueError:
        try:
            return parse_duration(text)
        except ValueError:
            raise ValueError(f'invalid Flux standard duration "{text}"') from None


def urgency(parsed: Parsed, program: str) -> int:
    text = parsed.get("urgency") or "default"
    try:
        return URGENCIES.get(text.lower(), int(text) if text.lower() not in URGENCIES else 0)
    except ValueError:
        raise fail(program, f"invalid literal for int() with base 10: '{text}'") from None


def is_waitable(parsed: Parsed, program: str) -> bool:
    flags = [flag for value in parsed.all("flags") for flag in value.split(",")]
    for flag in flags:
        if flag not in ("debug", "waitable", "novalidate"):
            raise fail(program, f"--flags: Unknown flag {flag}")
    return "waitable" in flags


def job_environment(parsed: Parsed) -> dict[str, str]:
    """The caller's environment, changed by --env, --env-remove and --env-file in the given order."""
    prefixes = {"env": "", "env-remove": "-", "env-file": "^"}
    rules = [prefixes[name] + (value or "") for name, value in parsed.given if name in prefixes]
    environment = apply_rules(rules, dict(os.environ))
    environment.pop("FLUX_PROXY_REMOTE", None)
    return environment


def matching(environment: dict[str, str], pattern: str) -> set[str]:
    """The names that match a glob, or a regular expression between slashes."""
    if pattern.startswith("/") and pattern.endswith("/") and len(pattern) > 1:
        expression = re.compile(pattern[1:-1])
    else:
        expression = re.compile(fnmatch.translate(pattern))
    return {name for name in environment if expression.match(name)}


def apply_rules(rules: list[str], environment: dict[str, str]) -> dict[str, str]:
    for rule in rules:
        if rule.startswith("-"):
            gone = matching(environment, rule[1:])
            environment = {name: value for name, value in environment.items() if name not in gone}
        elif rule.startswith("^"):
            environment = apply_rules(rules_in_file(rule[1:]), environment)
        else:
            apply_assignment(rule, environment)
    return environment


def rules_in_file(path: str) -> list[str]:
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            return [line.strip() for line in file]
    except OSError as error:
        raise ValueError(f"--env: {error}") from None


def apply_assignment(rule: str, environment: dict[str, str]) -> None:
    name, equals, text = rule.partition("=")
    if not equals:
        for found in matching(dict(os.environ), name):
            environment.setdefault(found, os.environ[found])
        return
    try:
        environment[name] = string.Template(text).substitute({**os.environ, **environment})
    except ValueError:
        raise ValueError(f"--env: Unable to substitute {rule}") from None
    except KeyError as missing:
        raise ValueError(f"--env: Variable {missing} not found in {rule}") from None
