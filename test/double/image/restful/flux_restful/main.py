"""The routes. Checked: flux_restful/{main.py,routers/{api,depends,views}.py,auth/{__init__,database}.py}."""

import asyncio
import json
import os
import re
import sys
import time
from typing import Any
from urllib.parse import parse_qsl

from flux_restful import jobs, tokens
from flux_restful.cli import DATABASE

BACKEND = os.environ.get("FLUX_AUTH_BACKEND") or "none"
SIGNING_KEY = os.environ.get("FLUX_TOKEN_SIGNING_KEY") or ""
SECRET_KEY = os.environ.get("FLUX_SECRET_KEY") or ""
PAGE = b"<!doctype html><title>stand-in for flux-restful</title><h1>A stand-in for flux-restful (not flux-restful)</h1>"


def check_settings() -> None:
    """Exits before the first request if the settings can't work, as flux-restful does."""
    if BACKEND not in ("none", "shared-secret"):
        sys.exit(f"flux-restful: stand-in: the backend {BACKEND} is not implemented here")
    if BACKEND != "none" and not (SIGNING_KEY and SECRET_KEY):
        sys.exit("The shared-secret auth backend requires FLUX_SECRET_KEY to be set.")
    done = jobs.flux(["getattr", "size"])
    if done.returncode:
        sys.exit(f"Cannot connect to a Flux instance ({done.stderr.strip()}).")


def authenticate(user: str, password: str) -> bool:
    with open(DATABASE, encoding="utf-8") as file:
        return json.load(file).get(user) == password


def token_for(user: str) -> tuple[int, dict]:
    now = time.time()
    payload = {"sub": user, "backend": BACKEND, "iat": now, "exp": now + 36000}
    return 200, {"access_token": tokens.encode(payload, SIGNING_KEY), "token_type": "Bearer"}


class Request:
    """One request. It blocks, so it is handled in a thread."""

    def __init__(self, scope: dict, body: bytes):
        self.method, self.path = scope["method"], scope["path"]
        self.query = dict(parse_qsl(scope["query_string"].decode()))
        self.headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.body = body

    def answer(self) -> tuple[int, str, bytes]:
        if self.path == "/" and self.method == "GET":
            return 200, "text/html", PAGE
        code, content = self.route(self.method, self.path)
        return code, "application/json", json.dumps(content).encode()

    def route(self, method: str, path: str) -> tuple[int, dict]:
        public = {
            ("GET", "/v1/auth"): self.describe,
            ("POST", "/v1/login/access-token"): self.log_in,
            ("POST", "/v1/token"): self.shake_hands,
        }.get((method, path))
        if public:
            return public()
        refusal = self.refuse()
        if refusal:
            return 401, {"detail": refusal}
        exact = {
            ("GET", "/v1/jobs"): jobs.listing,
            ("GET", "/v1/nodes"): jobs.nodes,
            ("POST", "/v1/jobs/submit"): self.submit,
        }.get((method, path))
        if exact:
            return exact()
        one = re.fullmatch(r"/v1/jobs/([^/]+)(/output|/cancel)?", path)
        handlers = {("GET", None): jobs.detail, ("GET", "/output"): jobs.output, ("POST", "/cancel"): jobs.cancel}
        handler = handlers.get((method, one[2])) if one else None
        return handler(one[1]) if one and handler else (404, {"detail": "Not Found"})

    def describe(self) -> tuple[int, dict]:
        password = BACKEND != "none"
        return 200, {"backend": BACKEND, "password_login": password, "shared_secret_handshake": password}

    def log_in(self) -> tuple[int, dict]:
        form = dict(parse_qsl(self.body.decode()))
        user = form.get("username", "")
        if BACKEND == "none" or not authenticate(user, form.get("password", "")):
            return 400, {"detail": "Incorrect user or password"}
        return token_for(user)

    def shake_hands(self) -> tuple[int, dict]:
        """The handshake of flux-restful's client."""
        sent = tokens.decode((self.headers.get("authorization") or "").split(" ")[-1], SECRET_KEY)
        if sent is None:
            return 400, {"detail": "Could not decode credentials"}
        if sent.get("scope") != "token" or not authenticate(sent.get("user", ""), sent.get("pass", "")):
            return 400, {"detail": "Incorrect user or password"}
        return token_for(sent["user"])

    def refuse(self) -> str:
        if BACKEND == "none":
            return ""
        scheme, _, token = (self.headers.get("authorization") or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return "Not authenticated"
        payload = tokens.decode(token.strip(), SIGNING_KEY)
        return "" if payload and payload.get("backend") == BACKEND else "Could not validate credentials"

    def submit(self) -> tuple[int, dict]:
        variables = json.loads(self.body or b"null") or {}
        return jobs.submit(self.query, {str(name): str(value) for name, value in variables.items()})


async def app(scope: dict, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        more = message["more_body"]
    code, kind, data = await asyncio.to_thread(Request(scope, body).answer)
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(data)).encode())]
    if code == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": data})


check_settings()
