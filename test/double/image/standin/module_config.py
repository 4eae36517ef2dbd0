"""The configuration tables that flux-core's modules read, and the module that refuses each.

Each check names the source file of its keys, and whether unknown keys are refused (strict). Tables that are neither
here nor in bootstrap.py are ignored, as in flux-core.
"""

from .duration import parse_duration
from .errors import Refusal
from .tables import ANY, check_table, problem_in

ACCESS = {"allow-guest-user": bool, "allow-root-owner": bool, "private-mode": bool, "roles": ANY}
RESOURCE = {
    "path": str,
    "scheduling": str,
    "config": ANY,
    "verify": ANY,
    "exclude": str,
    "norestrict": bool,
    "noverify": bool,
    "no-update-watch": bool,
    "rediscover": bool,
    "journal-max": int,
    "history": str,
}
HEARTBEAT = {"period": str, "timeout": str, "warn_thresh": int}
EXEC = {
    "max-start-delay-percent": float,
    "kill-timeout": str,
    "term-signal": str,
    "kill-signal": str,
    "max-kill-count": int,
    "max-kill-timeout": str,
    "method": str,
    "job-shell": str,
    "imp": str,
    "service": str,
    "sdexec-properties": ANY,
    "sdexec-stop-timer-sec": int,
    "sdexec-stop-timer-signal": int,
    "sdexec-constrain-resources": bool,
    "barrier-timeout": str,
    "shell-exit-timeout": str,
}
EXEC_METHODS = ("bulk-exec", "testexec")
TBON = {
    "interface-hint": str,
    "topo": str,
    "torpid_min": str,
    "torpid_max": str,
    "tcp_user_timeout": str,
    "connect_timeout": str,
    "zmqdebug": int,
    "child_rcvhwm": int,
    "zmq_io_threads": int,
}
JOB_MANAGER = {
    "inactive-age-limit": str,
    "inactive-num-limit": int,
    "stop-queues-on-restart": bool,
    "plugins": list,
    "housekeeping": ANY,
}
HOUSEKEEPING = {"command": ANY, "release-after": str, "use-systemd-unit": bool, "exit-on-first-error": bool}
INGEST = {"batch-count": int, "buffer-size": str, "validator": ANY, "frobnicator": ANY}
POLICY = {"jobspec": ANY, "limits": ANY, "access": ANY, "scheduler": ANY}
LIMITS = {"job-size": ANY, "duration": ANY}
JOB_SIZE = {"nnodes": int, "ncores": int, "ngpus": int}
POLICY_ACCESS = {"allow-user": ANY, "allow-group": ANY}
QUEUE = {"policy": ANY, "requires": ANY, "parent": ANY}


class ModuleRefusal(Refusal):
    """A module that refuses its configuration, and doesn't start."""

    def __init__(self, module: str, message: str):
        super().__init__(message)
        self.module = module


def check_connector(config: dict) -> None:
    """[access], strict: src/modules/connector-local/local.c"""
    if "access" in config:
        check_table(config["access"], ACCESS, True, "error parsing [access] configuration")


def check_modules(config: dict) -> None:
    """Checks the tables that modules read when rc1 loads them. Raises ModuleRefusal."""
    for module, check in (
        ("heartbeat", check_heartbeat),
        ("kvs", check_kvs),
        ("resource", check_resource),
        ("job-manager", check_job_manager),
        ("job-ingest", check_ingest),
        ("job-exec", check_exec),
    ):
        try:
            check(config)
        except Refusal as refusal:
            raise ModuleRefusal(module, refusal.message) from None


def check_heartbeat(config: dict) -> None:
    """[heartbeat], strict: src/modules/heartbeat/heartbeat.c"""
    table = config.get("heartbeat", {})
    check_table(table, HEARTBEAT, True, "error reading [heartbeat] config table")
    for key in ("period", "timeout"):
        if key in table:
            check_duration(table[key], f"error parsing heartbeat.{key} FSD value")


def check_kvs(config: dict) -> None:
    """[kvs], unknown keys ignored: src/modules/kvs/kvs_checkpoint.c"""
    table = config.get("kvs", {})
    check_table(table, {"checkpoint-period": str}, False, "error reading config for kvs")
    if "checkpoint-period" in table:
        check_duration(table["checkpoint-period"], f"invalid checkpoint-period config: {table['checkpoint-period']}")


def check_duration(text: str, message: str) -> None:
    try:
        parse_duration(text)
    except ValueError:
        raise Refusal(message) from None


def check_resource(config: dict) -> None:
    """[resource], strict: src/modules/resource/resource.c"""
    table = config.get("resource", {})
    check_table(table, RESOURCE, True, "error parsing [resource] configuration")
    if "history" in table:
        check_duration(table["history"], "invalid history time")


def check_exec(config: dict) -> None:
    """[exec], unknown keys ignored: src/modules/job-exec/{job-exec,exec_config}.c"""
    table = config.get("exec", {})
    check_table(table, EXEC, False, "Error reading [exec] table")
    for key in ("kill-timeout", "max-kill-timeout", "barrier-timeout", "shell-exit-timeout"):
        if key in table and table[key] != "none":
            check_duration(table[key], f"invalid duration '{table[key]}' specified for exec.{key}")
    method = table.get("method", "bulk-exec")
    if method not in EXEC_METHODS:
        raise Refusal(f"job-exec: unknown exec.method '{method}'")


def check_job_manager(config: dict) -> None:
    """[policy], [queues] strict, [job-manager] not: src/common/libfluxutil/conf_policy.c,
    src/modules/job-manager/{job-manager,purge,housekeeping,jobtap}.c"""
    policy = config.get("policy", {})
    check_policy(policy, "policy")
    queues = config.get("queues", {})
    if not isinstance(queues, dict):
        raise Refusal("config: error parsing [queues] config table: not a table")
    for name, queue in queues.items():
        check_queue(name, queue, queues)
    check_default_queue(policy, queues)
    check_job_manager_table(config.get("job-manager", {}))


def check_job_manager_table(table: dict) -> None:
    problem = problem_in(table, JOB_MANAGER, False)
    if problem:
        raise Refusal(f"error parsing job-manager config: job-manager.max-inactive-*: {problem}")
    if "inactive-age-limit" in table:
        check_duration(table["inactive-age-limit"], "job-manager.inactive-age-limit: invalid FSD")
    if table.get("inactive-num-limit", 0) < 0:
        raise Refusal("job-manager.inactive-num-limit: must be >= 0")
    if "housekeeping" in table:
        check_table(table["housekeeping"], HOUSEKEEPING, True, "job-manager.housekeeping")


def check_policy(policy: object, key: str) -> None:
    def refuse_in(table: object, layout: dict, name: str) -> None:
        problem = problem_in(table, layout, True)
        if problem:
            raise Refusal(f"config: error parsing [{name}] config table: {problem}")

    refuse_in(policy, POLICY, key)
    assert isinstance(policy, dict)
    if "limits" in policy:
        refuse_in(policy["limits"], LIMITS, f"{key}.limits")
        for side, sizes in policy["limits"].get("job-size", {}).items():
            refuse_in(sizes, JOB_SIZE, f"{key}.limits.{side}")
        if "duration" in policy["limits"]:
            check_duration(
                str(policy["limits"]["duration"]),
                f"config: error parsing [{key}.limits] config table: 'duration' is not a valid FSD",
            )
    if "access" in policy:
        refuse_in(policy["access"], POLICY_ACCESS, f"{key}.access")


def check_queue(name: str, queue: object, queues: dict) -> None:
    prefix = f"config: error parsing [queues.{name}] config table"
    check_table(queue, QUEUE, True, prefix)
    assert isinstance(queue, dict)
    if "policy" in queue:
        check_policy(queue["policy"], f"queues.{name}.policy")
    parent = queue.get("parent")
    if parent is not None and (not isinstance(parent, str) or parent not in queues or parent == name):
        raise Refusal(f"{prefix}: parent queue '{parent}' is not configured")


def check_default_queue(policy: dict, queues: dict) -> None:
    default = policy.get("jobspec", {}).get("defaults", {}).get("system", {}).get("queue")
    if default is not None and default not in queues:
        raise Refusal(
            f"config: the [policy] config table defines a default queue {default} that is not in [queues] table"
        )


def check_ingest(config: dict) -> None:
    """[ingest], unknown keys ignored: src/modules/job-ingest/job-ingest.c"""
    check_table(config.get("ingest", {}), INGEST, False, "error reading [ingest] config table")
