"""CURVE certificate files. Checked: src/common/libzmqutil/cert.c, src/modules/overlay/overlay.c
(overlay_cert_load), src/cmd/flux-keygen.c."""

import errno
import os
import re
import stat
from dataclasses import dataclass, field

from .errors import Refusal

KEY_NAME = re.compile(r"[A-Za-z0-9.-]+$")
VALUE = re.compile(r"[A-Za-z0-9.\-:+=^!/*?&<>()\[\]{}@%$# \t]*$")
Z85 = re.compile(r"[A-Za-z0-9.\-:+=^!/*?&<>()\[\]{}@%$#]{40}$")


@dataclass
class Certificate:
    """A key pair as Z85 text, and metadata with free keys."""

    public: str
    secret: str
    metadata: dict[str, str] = field(default_factory=dict)


def create_certificate(metadata: dict[str, str]) -> Certificate:
    import zmq

    public, secret = zmq.curve_keypair()
    return Certificate(public.decode(), secret.decode(), metadata)


def certificate_text(certificate: Certificate) -> str:
    """The text of the file, in the format of CZMQ's zcert."""
    metadata = "".join(f'    {key} = "{value}"\n' for key, value in sorted(certificate.metadata.items()))
    return (
        "#  ZeroMQ CURVE **Secret** Certificate\n#  DO NOT DISTRIBUTE\n\n"
        f"metadata\n{metadata}curve\n"
        f'    public-key = "{certificate.public}"\n    secret-key = "{certificate.secret}"\n'
    )


def load_certificate(path: str) -> Certificate:
    """Refuses a file that other users may read, an invalid file, and keys that are not a pair."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}", errnum=error.errno or errno.EIO) from None
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
        if os.fstat(file.fileno()).st_mode & (stat.S_IRGRP | stat.S_IROTH):
            raise Refusal(f"{path}: readable by group/other", errnum=1)
        text = file.read()
    certificate = parse_certificate(text)
    if certificate is None:
        raise Refusal(f"{path}: Invalid argument", errnum=22)
    return certificate


def parse_certificate(text: str) -> Certificate | None:
    """The certificate, or None if flux-core would refuse it."""
    import zmq

    sections = read_sections(text)
    if sections is None:
        return None
    public, secret = sections["curve"].get("public-key"), sections["curve"].get("secret-key")
    if set(sections["curve"]) - {"public-key", "secret-key"}:
        return None
    if not (public and secret and Z85.match(public) and Z85.match(secret)):
        return None
    try:
        matches = zmq.curve_public(secret.encode()).decode() == public
    except zmq.ZMQError:
        return None
    return Certificate(public, secret, sections["metadata"]) if matches else None


def read_sections(text: str) -> dict[str, dict[str, str]] | None:
    """The two sections of a certificate file. Returns None if it has others."""
    sections: dict[str, dict[str, str]] = {"metadata": {}, "curve": {}}
    current: dict[str, str] | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if line[0] not in " \t":
            if stripped not in sections:
                return None
            current = sections[stripped]
            continue
        key, equals, value = (part.strip() for part in stripped.partition("="))
        quoted = len(value) >= 2 and value[0] == value[-1] == '"'
        if current is None or not equals or not quoted or not KEY_NAME.match(key) or not VALUE.match(value[1:-1]):
            return None
        if current is sections["metadata"] and key in current:
            return None
        current[key] = value[1:-1]
    return sections
