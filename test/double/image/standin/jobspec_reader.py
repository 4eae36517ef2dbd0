"""Reads a jobspec in the form of RFC 25: the reverse of `canonical`. Checked: src/modules/job-manager/, src/shell/."""


def read_jobspec(jobspec: dict) -> dict:
    """The request for the job manager."""
    system = jobspec["attributes"]["system"]
    task = jobspec["tasks"][0]
    options = dict(system.get("shell", {}).get("options", {}))
    per_resource = options.pop("per-resource", None)
    wanted = read_resources(jobspec["resources"][0])
    return {
        "command": task["command"],
        "name": system["job"]["name"],
        "env": system["environment"],
        "cwd": system["cwd"],
        "ntasks": task["count"].get("total", wanted["slots"]),
        "wanted": {**wanted, "constraint": system.get("constraints")},
        "shell": options,
        "dependencies": system.get("dependencies", []),
        "queue": system.get("queue"),
        "duration": system["duration"],
        "unbuffered": False,
        "user": jobspec["attributes"].get("user", {}),
        **({} if per_resource is None else {"tasks_per_node": per_resource["count"]}),
    }


def read_resources(resource: dict) -> dict:
    nodes, exclusive = 0, False
    if resource["type"] == "node":
        nodes, exclusive = resource["count"], resource.get("exclusive", False)
        resource = resource["with"][0]
    amounts = {child["type"]: child["count"] for child in resource["with"]}
    return {
        "nodes": nodes,
        "slots": resource["count"] * (nodes or 1),
        "cores": amounts["core"],
        "gpus": amounts.get("gpu", 0),
        "exclusive": exclusive,
    }
