"""The [bootstrap] table: rank, size and endpoints. Checked: src/common/libfluxutil/conf_bootstrap.c,
src/common/libpmi/upmi_config.c, src/modules/overlay/boot_config.c."""

import re
from dataclasses import dataclass, field

from .errors import Refusal
from .hostlist import decode_hostlist
from .tables import ANY, problem_in

TABLE = {
    "hosts": ANY,
    "curve_cert": str,
    "default_port": int,
    "default_bind": str,
    "default_connect": str,
    "enable_ipv6": bool,
}
HOST = {"host": str, "bind": str, "connect": str, "parent": str}


@dataclass
class Bootstrap:
    """The rank of this broker, and the hosts of all brokers."""

    method: str
    rank: int
    hosts: list[dict] = field(default_factory=list)
    curve_cert: str | None = None
    enable_ipv6: bool = False

    @property
    def size(self) -> int:
        return len(self.hosts)

    @property
    def names(self) -> list[str]:
        return [host["host"] for host in self.hosts]


def read_bootstrap(config: dict, hostname: str) -> Bootstrap:
    """Reads [bootstrap]. Without it the instance has one broker."""
    if "bootstrap" not in config:
        return Bootstrap("single", 0, [{"host": hostname}])
    try:
        return parse_bootstrap(config["bootstrap"], hostname)
    except Refusal as refusal:
        raise Refusal(f"bootstrap: config: initialize: Config file error [bootstrap]: {refusal.message}") from None


def parse_bootstrap(table: dict, hostname: str) -> Bootstrap:
    problem = problem_in(table, TABLE, True)
    if problem:
        raise Refusal(problem)
    port = table.get("default_port", -1)
    if port != -1 and not 0 <= port <= 65535:
        raise Refusal("default_port must be in the range of 0-65535")
    hosts = parse_hosts(table, hostname)
    if len(hosts) > 1 and "curve_cert" not in table:
        raise Refusal("curve_cert must be defined for size > 1")
    rank = [host["host"] for host in hosts].index(hostname)
    return Bootstrap("config", rank, hosts, table.get("curve_cert"), table.get("enable_ipv6", False))


def parse_hosts(table: dict, hostname: str) -> list[dict]:
    entries = table.get("hosts")
    if entries is not None and not isinstance(entries, list):
        raise Refusal("must be array type")
    if not entries:
        return [{"host": hostname}]
    hosts = merge_entries(entries)
    for index, host in enumerate(hosts.values()):
        try:
            complete_host(host, table, hosts)
        except Refusal as refusal:
            raise Refusal(f"invalid hosts[{index}]: {refusal.message}") from None
    if hostname not in hosts:
        raise Refusal(f"{hostname} not found in hosts")
    return list(hosts.values())


def merge_entries(entries: list) -> dict[str, dict]:
    """Makes one entry for each name. Further entries of a name only add missing keys."""
    hosts: dict[str, dict] = {}
    for index, entry in enumerate(entries):
        problem = problem_in(entry, {"host": str}, False, ("host",))
        if problem:
            raise Refusal(f"invalid hosts[{index}]: {problem}")
        try:
            names = decode_hostlist(entry["host"])
        except ValueError:
            raise Refusal(f"invalid hosts[{index}]: host key is not a valid RFC 29 hostlist") from None
        for name in names:
            hosts[name] = {**entry, **hosts[name]} if name in hosts else {**entry, "host": name}
    return hosts


def complete_host(host: dict, table: dict, hosts: dict[str, dict]) -> None:
    """Checks one host, and fills in the default endpoints."""
    problem = problem_in(host, HOST, True, ("host",))
    if problem:
        raise Refusal(problem)
    if host.get("parent") == host["host"]:
        raise Refusal("parent key refers to self")
    if "parent" in host and host["parent"] not in hosts:
        raise Refusal("parent key refers to unknown host")
    check_domain_name(host["host"])
    for key in ("bind", "connect"):
        template = host.get(key, table.get(f"default_{key}"))
        if template is not None:
            host[key] = fill_in(template, host["host"], table.get("default_port", -1))
            check_uri(key, host[key])


def fill_in(template: str, host: str, port: int) -> str:
    """Replaces %h by the host, %p by the port, and %% by a percent sign."""
    values = {"h": host, "p": str(port), "%": "%"}
    return re.sub(r"%(.)", lambda match: values.get(match.group(1), match.group(0)), template)


def check_domain_name(name: str) -> None:
    if not 1 <= len(name) <= 253:
        raise Refusal(f"{name} domain must be 1-253 characters")
    for label in filter(None, name.split(".")):
        if len(label) > 63:
            raise Refusal(f"{name} must be 1-63 characters")
        if label[0] == "-" or label[-1] == "-":
            raise Refusal(f"{name} domain label must not start or end with '-'")
        bad = re.search(r"[^A-Za-z0-9-]", label)
        if bad:
            char = bad.group(0)
            raise Refusal(f"{name} domain label contains invalid character '{char}' (0x{ord(char):x})")


def check_uri(key: str, uri: str) -> None:
    if "://" not in uri:
        raise Refusal(f"{key} key {uri} has no URI scheme")
    if ":*" in uri:
        raise Refusal(f"{key} key {uri} contains 0MQ port wildcard")
    scheme, _, rest = uri.partition("://")
    if scheme not in ("tcp", "ipc"):
        raise Refusal(f"{key} key {uri} URI scheme must be tcp or ipc")
    if not rest:
        raise Refusal(f"{key} key {uri} {'address' if scheme == 'tcp' else 'socket path'} is empty")
