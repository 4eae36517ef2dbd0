"""JSON web tokens, HS256 only. Checked: flux_restful/auth/tokens.py."""

import base64
import hashlib
import hmac
import json
import time


def encode(payload: dict, key: str) -> str:
    body = ".".join(_pack(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, payload))
    return f"{body}.{_pack(_sign(body, key))}"


def decode(token: str, key: str) -> dict | None:
    """The payload, or None if the token is malformed, expired or not signed with the key."""
    try:
        body, signature = token.rsplit(".", 1)
        if not hmac.compare_digest(_unpack(signature), _sign(body, key)):
            return None
        payload = json.loads(_unpack(body.split(".")[1]))
    except (ValueError, IndexError):
        return None
    return payload if payload.get("exp", time.time() + 1) > time.time() else None


def _sign(body: str, key: str) -> bytes:
    return hmac.new(key.encode(), body.encode(), hashlib.sha256).digest()


def _pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unpack(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
