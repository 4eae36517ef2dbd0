"""Broker attributes, and where each may be set. Checked: src/broker/attr.c (attrtab)."""

import errno
import fnmatch

from .errors import RpcError

IMMUTABLE, READONLY, RUNTIME = 1, 2, 4

FIXED = IMMUTABLE | READONLY

KNOWN: dict[str, int] = {
    "rank": FIXED,
    "size": FIXED,
    "version": READONLY,
    "rundir": 0,
    "rundir-cleanup": IMMUTABLE,
    "statedir": 0,
    "statedir-cleanup": IMMUTABLE,
    "security.owner": FIXED,
    "local-uri": IMMUTABLE,
    "parent-uri": FIXED,
    "instance-level": FIXED,
    "jobid": FIXED,
    "jobid-path": FIXED,
    "parent-kvs-namespace": FIXED,
    "hostlist": IMMUTABLE,
    "hostname": IMMUTABLE,
    "broker.mapping": FIXED,
    "broker.critical-ranks": IMMUTABLE,
    "broker.boot-method": IMMUTABLE,
    "broker.pid": FIXED,
    "broker.quorum": IMMUTABLE,
    "broker.quorum-warn": IMMUTABLE,
    "broker.shutdown-warn": IMMUTABLE,
    "broker.shutdown-timeout": IMMUTABLE,
    "broker.cleanup-timeout": 0,
    "broker.unload-builtins-timeout": 0,
    "broker.rc1_path": 0,
    "broker.rc3_path": 0,
    "broker.rc2_none": 0,
    "broker.rc2_pgrp": 0,
    "broker.exit-restart": RUNTIME,
    "broker.module-nopanic": RUNTIME,
    "broker.starttime": FIXED,
    "broker.sd-notify": 0,
    "broker.sd-stop-timeout": IMMUTABLE,
    "broker.exit-norestart": 0,
    "broker.recovery-mode": 0,
    "broker.uuid": FIXED,
    "conf.shell_initrc": RUNTIME,
    "conf.shell_pluginpath": RUNTIME,
    "config.path": IMMUTABLE,
    "tbon.topo": 0,
    "tbon.descendants": READONLY,
    "tbon.level": READONLY,
    "tbon.maxlevel": READONLY,
    "tbon.endpoint": READONLY,
    "tbon.parent-endpoint": READONLY,
    "tbon.zmqdebug": 0,
    "tbon.zmq_io_threads": 0,
    "tbon.child_rcvhwm": 0,
    "tbon.prefertcp": 0,
    "tbon.interface-hint": RUNTIME | IMMUTABLE,
    "tbon.torpid_min": 0,
    "tbon.torpid_max": 0,
    "tbon.tcp_user_timeout": 0,
    "tbon.connect_timeout": 0,
    "log-ring-size": IMMUTABLE,
    "log-forward-level": IMMUTABLE,
    "log-critical-level": IMMUTABLE,
    "log-filename": 0,
    "log-syslog-enable": IMMUTABLE,
    "log-syslog-level": IMMUTABLE,
    "log-stderr-mode": IMMUTABLE,
    "log-stderr-level": RUNTIME,
    "log-level": IMMUTABLE,
    "content.backing-module": 0,
    "content.hash": IMMUTABLE,
    "content.dump": RUNTIME,
    "content.restore": RUNTIME,
    "cron.directory": 0,
    "test.*": RUNTIME,
    "test-ro.*": READONLY,
    "test-nr.*": 0,
    "test-im.*": IMMUTABLE,
    "test-rd.*": RUNTIME,
    "vendor.*": RUNTIME | IMMUTABLE,
    "tbon.fanout": 0,
}

# Attributes that flux-core accepts. The stand-in refuses them, because they would have no effect here.
WITHOUT_EFFECT = {
    "broker.sd-notify",
    "broker.recovery-mode",
    "content.backing-module",
    "content.hash",
    "cron.directory",
    "broker.rc1_path",
    "broker.rc3_path",
    "broker.boot-method",
    "log-syslog-enable",
}


def flags_of(name: str) -> int | None:
    """The flags of a known attribute, None for an unknown one."""
    for pattern, flags in KNOWN.items():
        if fnmatch.fnmatchcase(name, pattern):
            return flags
    return None


class Attributes:
    """The attributes of one broker."""

    def __init__(self) -> None:
        self.values: dict[str, str | None] = {}

    def set_from_command_line(self, name: str, value: str | None) -> str | None:
        """Returns an error message, or None if the value was set."""
        flags = flags_of(name)
        if flags is None:
            return f"{name}: unknown attribute"
        if flags & READONLY:
            return f"{name}: attribute may not be set on the command line"
        if name in self.values and flags & IMMUTABLE:
            return f"{name}: Operation not permitted"
        if name in WITHOUT_EFFECT:
            return f"{name}: stand-in: this attribute exists in flux-core but is not implemented here"
        self.values[name] = value
        return None

    def set_default(self, name: str, value: str | None) -> None:
        self.values.setdefault(name, value)

    def set(self, name: str, value: str | None) -> None:
        """Sets an attribute for the broker itself, without checks."""
        self.values[name] = value

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def request_get(self, name: str) -> str:
        value = self.values.get(name)
        if value is None:
            raise RpcError(errno.ENOENT)
        return value

    def request_set(self, name: str, value: str, force: bool) -> None:
        """`flux setattr`. Refuses to change a value if the attribute may not change at run time."""
        flags = flags_of(name)
        if flags is None:
            raise RpcError(errno.ENOENT, "unknown attribute")
        if name in self.values and not force and not flags & RUNTIME:
            raise RpcError(errno.EINVAL, "attribute may not be updated")
        if name in self.values and flags & IMMUTABLE:
            raise RpcError(errno.EPERM)
        if name == "log-stderr-level":
            check_level(value)
        self.values[name] = value


def check_level(value: str) -> int:
    """A syslog level. A negative one logs nothing."""
    try:
        level = int(value)
    except ValueError:
        raise RpcError(errno.EINVAL, "invalid level") from None
    if level > 7:
        raise RpcError(errno.EINVAL, "invalid level")
    return level
