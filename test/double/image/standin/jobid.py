"""Job ids (RFC 19 FLUID): dec, hex, dothex, kvs and f58. Checked: src/common/libutil/fluid.c."""

import locale
import os
import re

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def f58_prefix() -> str:
    """ƒ in a UTF-8 locale. f in other locales, or if FLUX_F58_FORCE_ASCII is set."""
    if "FLUX_F58_FORCE_ASCII" in os.environ:
        return "f"
    try:
        locale.setlocale(locale.LC_CTYPE, "")
    except locale.Error:
        return "f"
    return "ƒ" if "UTF-8" in locale.nl_langinfo(locale.CODESET).upper() else "f"


def encode_f58(jobid: int, prefix: str | None = None) -> str:
    """The prefix and the number in base 58."""
    digits = ""
    value = jobid
    while True:
        value, rest = divmod(value, 58)
        digits = ALPHABET[rest] + digits
        if value == 0:
            break
    return (f58_prefix() if prefix is None else prefix) + digits


def dothex(jobid: int) -> str:
    """The form `0000.0001.ab00.0000`."""
    text = f"{jobid:016x}"
    return ".".join(text[i : i + 4] for i in range(0, 16, 4))


def decode_jobid(text: str) -> int:
    """The number of an id in any of the forms. Raises ValueError."""
    name = text.strip().lstrip("/").split("/")[-1] if text.startswith("/") else text.strip()
    if name.startswith("job."):
        name = name[4:]
    if re.fullmatch(r"[0-9a-f]{4}(\.[0-9a-f]{4}){3}", name):
        return int(name.replace(".", ""), 16)
    if name.startswith("0x"):
        return int(name, 16)
    if name.isdigit():
        return int(name)
    if name[:1] in ("ƒ", "f") and len(name) > 1 and all(c in ALPHABET for c in name[1:]):
        value = 0
        for char in name[1:]:
            value = value * 58 + ALPHABET.index(char)
        return value
    raise ValueError(f"invalid job id {text!r}")
