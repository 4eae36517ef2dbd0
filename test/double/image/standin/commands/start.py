"""`flux start`: becomes a broker. Checked: src/cmd/flux-start.c (exec_broker)."""

from standin.broker import run_broker
from standin.options import Options

OPTIONS = Options(
    "flux-start",
    "[OPTIONS] command ...",
    "S/setattr= c/config-path= conf= v/verbose? X/noexec o/broker-opts=",
    "r/recovery? sysconfig wrap= s/test-size= test-hosts= test-exit-timeout= test-exit-mode="
    " test-start-mode= test-rundir= test-rundir-cleanup test-pmi-clique= killer-timeout=",
)


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    broker_args = []
    for name, value in parsed.given:
        if name == "setattr":
            broker_args += [f"-S{setting}" for setting in (value or "").split(",")]
        elif name in ("config-path", "conf"):
            broker_args.append(f"--{name}={value}")
        elif name == "broker-opts":
            broker_args += filter(None, (value or "").split(","))
        elif name == "verbose":
            broker_args.append(f"-v{value or ''}")
    if parsed.has("noexec"):
        print("flux-start:", "flux-broker", *broker_args, *parsed.rest)
        return 0
    return run_broker([*broker_args, "--", *parsed.rest], "flux-broker")
