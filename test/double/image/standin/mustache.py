"""Tags such as {{id}} in the names of output files. Checked: src/shell/{mustache,shell}.c."""

import re

from .idset import encode_idset
from .jobid import dothex, encode_f58

TAG = re.compile(r"\{\{(.*?)\}\}")
ENCODINGS = {
    "f58": encode_f58,
    "f58plain": lambda number: encode_f58(number, "f"),
    "dec": str,
    "hex": lambda number: f"0x{number:x}",
    "dothex": dothex,
}
SYNONYMS = {"size": "ntasks", "taskid": "task.id", "task.rank": "task.id", "task.localid": "task.index"}
# A name with one of these differs between nodes or tasks.
OF_A_NODE = re.compile(r"\{\{(node\.|task\.|taskid\}|tmpdir\})")


def is_per_shell(template: str) -> bool:
    return OF_A_NODE.search(template) is not None


def render(template: str, request: dict, task: int, index: int, folder: str) -> str:
    """The name for a task. `request` is that of the job shell."""
    tags = {
        "name": request["name"],
        "id": request["id"],
        "nnodes": request["nnodes"],
        "ntasks": request["ntasks"],
        "task.id": task,
        "task.index": index,
        "node.id": request["shell_rank"],
        "node.name": request["host"],
        "node.broker_rank": request["rank"],
        "node.cores": encode_idset(request["cores"]),
        "node.gpus": encode_idset(request["gpus"]),
        "node.ncores": len(request["cores"]),
        "tmpdir": folder,
    }
    return render_tags(template, tags)


def render_tags(template: str, tags: dict) -> str:
    """An unknown tag stays as it is."""

    def value(match: re.Match[str]) -> str:
        written = match.group(1)
        name = written.removeprefix("job") if written.startswith("jobid") else SYNONYMS.get(written, written)
        if name == "id" or name.removeprefix("id.") in ENCODINGS:
            return ENCODINGS[name.removeprefix("id").removeprefix(".") or "f58"](tags["id"])
        return str(tags.get(name, match.group(0)))

    return TAG.sub(value, template)
