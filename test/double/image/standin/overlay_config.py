"""The attributes tbon.*: from the command line, [tbon], or the defaults. Checked: src/modules/overlay/ovconf.c."""

import errno

from .attributes import Attributes
from .duration import format_duration, parse_duration
from .errors import Refusal
from .module_config import TBON
from .tables import check_table


def configure(attributes: Attributes, config: dict) -> None:
    """Sets and checks the attributes tbon.*."""
    table = config.get("tbon", {})
    check_table(table, TBON, False, "Config file error [tbon]")
    attributes.set_default("tbon.prefertcp", "0")
    attributes.set_default("tbon.interface-hint", table.get("interface-hint", "default-route"))
    fanout = attributes.get("tbon.fanout")
    topo = table.get("topo", "custom" if "bootstrap" in config else "kary:32")
    attributes.set_default("tbon.topo", f"kary:{fanout}" if fanout else topo)
    for name, default in (
        ("torpid_min", 5.0),
        ("torpid_max", 30.0),
        ("tcp_user_timeout", 20.0),
        ("connect_timeout", 30.0),
    ):
        configure_duration(attributes, table, name, default)
    for name, default in (("zmqdebug", 0), ("child_rcvhwm", 0), ("zmq_io_threads", 1), ("prefertcp", 0)):
        configure_number(attributes, table, name, default)
    if seconds(attributes, "torpid_min") == 0:
        raise Refusal("tbon.torpid_min must be nonzero", errnum=errno.EINVAL)
    if 0 < seconds(attributes, "torpid_max") <= seconds(attributes, "torpid_min"):
        raise Refusal("tbon.torpid_min must be less than torpid_max", errnum=errno.EINVAL)
    if int(attributes.get("tbon.child_rcvhwm") or 0) in (1, *range(-9, 0)):
        raise Refusal("tbon.child_rcvhwm must be 0 (unlimited) or >= 2", errnum=errno.EINVAL)
    if int(attributes.get("tbon.zmq_io_threads") or 0) < 1:
        raise Refusal("tbon.zmq_io_threads must be >= 1", errnum=errno.EINVAL)


def configure_duration(attributes: Attributes, table: dict, name: str, default: float) -> None:
    value = default
    try:
        if name in table:
            value = parse_duration(table[name])
    except ValueError:
        raise Refusal(f"Config file error parsing tbon.{name}", errnum=errno.EINVAL) from None
    given = attributes.get(f"tbon.{name}")
    try:
        if given is not None:
            value = parse_duration(given)
    except ValueError:
        torpid = name.startswith("torpid")
        raise Refusal(f"{'error' if torpid else 'Error'} parsing tbon.{name} attribute", errnum=errno.EINVAL) from None
    attributes.set(f"tbon.{name}", format_duration(value))


def configure_number(attributes: Attributes, table: dict, name: str, default: int) -> None:
    given = attributes.get(f"tbon.{name}")
    try:
        value = int(given) if given is not None else table.get(name, default)
    except ValueError:
        raise Refusal(f"tbon.{name} value must be an integer", errnum=errno.EINVAL) from None
    attributes.set(f"tbon.{name}", str(value))


def seconds(attributes: Attributes, name: str) -> float:
    return parse_duration(attributes.get(f"tbon.{name}") or "0")
