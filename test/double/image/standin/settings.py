"""The broker's settings from the command line and the configuration. Checked: src/broker/broker.c
(opts[], parse_config), src/broker/state_machine.c (quorum_configure, timeout_configure)."""

import os

from . import log
from .attributes import Attributes
from .bootstrap import Bootstrap
from .config import read_config, update_config
from .duration import parse_duration
from .errors import Refusal
from .options import Options
from .version import version_text

TIMEOUTS = {
    "broker.quorum-warn": "1m",
    "broker.cleanup-timeout": "none",
    "broker.sd-stop-timeout": "none",
    "broker.shutdown-warn": "1m",
    "broker.shutdown-timeout": "none",
    "broker.unload-builtins-timeout": "1m",
}


def broker_options(program: str) -> Options:
    """src/broker/broker.c, opts[]"""
    return Options(program, "[OPTIONS] [initial program]", "v/verbose? S/setattr= c/config-path= conf=")


def set_own_attributes(attributes: Attributes) -> None:
    for name, value in (
        ("broker.pid", str(os.getpid())),
        ("version", version_text()),
        ("security.owner", str(os.getuid())),
        ("broker.rc1_path", "flux modprobe rc1"),
        ("broker.rc3_path", "flux modprobe rc3"),
        ("conf.shell_initrc", "/etc/flux/shell/initrc.lua"),
        ("conf.shell_pluginpath", "/usr/lib/flux/shell/plugins"),
    ):
        attributes.set(name, value)


def set_boot_attributes(attributes: Attributes, boot: Bootstrap) -> None:
    for name, value in (
        ("broker.boot-method", boot.method),
        ("rank", str(boot.rank)),
        ("size", str(boot.size)),
        ("instance-level", "0"),
        ("broker.mapping", f"[[0,{boot.size},1,1]]"),
        ("jobid-path", "/"),
        ("parent-uri", None),
    ):
        attributes.set(name, value)


def read_norestart(attributes: Attributes) -> int:
    """The exit code that tells systemd not to restart the broker, or 0."""
    value = attributes.get("broker.exit-norestart") or ""
    return int(value) if value.isdigit() else 0


def load_config(attributes: Attributes, path: str | None, updates: list[str]) -> dict:
    path = path or os.environ.get("FLUX_CONF_DIR")
    config: dict = {}
    if path:
        try:
            config = read_config(path)
        except Refusal as refusal:
            raise Refusal(f"Config file error: {refusal.message}") from None
        attributes.set("config.path", path)
    for update in updates:
        try:
            update_config(config, update)
        except Refusal as refusal:
            raise Refusal(f"--conf: {refusal.message}") from None
    return config


def read_quorum(attributes: Attributes, size: int, logs: log.Log) -> int:
    """The number of ranks that must be online before the initial program starts."""
    text = attributes.get("broker.quorum")
    if text is None:
        attributes.set("broker.quorum", str(size))
        return size
    if text in ("0", f"0-{size - 1}"):
        quorum = 1 if text == "0" else size
        if attributes.get("rank") == "0":
            logs.write("broker", log.ERR, f"warning: broker.quorum is now a size - assuming {quorum}")
        return quorum
    digits = text.lstrip()[: len(text.lstrip()) - len(text.lstrip().lstrip("0123456789"))]
    if not digits or not 1 <= int(digits) <= size:
        raise Refusal("Error parsing broker.quorum attribute")
    return int(digits)


def read_timeout(attributes: Attributes, name: str, default: str) -> float | None:
    text = attributes.get(name)
    if text is None:
        attributes.set(name, default)
        text = default
    if text == "none":
        return None
    try:
        return parse_duration(text)
    except ValueError:
        raise Refusal(f"Error parsing {name} attribute") from None
