"""Downloads pip for an image without it: restful-pip.py FOLDER [INDEX_URL]. Prints the path of pip's wheel, which
Python can run, or ends with 1 and one line that says why there is none.

Without INDEX_URL the index is that of pip's own settings in this container, else the one that the image's setuptools
knows. The wheel has a known hash, whatever the index is."""

import base64
import configparser
import hashlib
import html.parser
import http.client
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

WHEEL = "pip-26.3-py3-none-any.whl"
SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
LARGEST_BYTES = 16 << 20
TIMEOUT_SECONDS = 10


class Links(html.parser.HTMLParser):
    """The links of an index's page, by the name of their file."""

    def __init__(self, page: str):
        super().__init__()
        self.base = page
        self.found = {}

    def handle_starttag(self, tag: str, attrs: list):
        target = dict(attrs).get("href")
        if target and tag == "base":
            self.base = urllib.parse.urljoin(self.base, target)
        elif target and tag == "a":
            url = urllib.parse.urljoin(self.base, target)
            path = urllib.parse.urlsplit(url).path
            self.found[urllib.parse.unquote(path.rsplit("/", 1)[-1])] = urllib.parse.urldefrag(url)[0]


class Index:
    """A package index. The user and the password of its URL are sent to its own host only."""

    def __init__(self, url: str):
        parts = urllib.parse.urlsplit(url)
        user, _, self.host = parts.netloc.rpartition("@")
        self.url = parts._replace(netloc=self.host).geturl().rstrip("/")
        words = [urllib.parse.unquote(word) for word in user.partition(":")[::2]]
        self.credentials = base64.b64encode(":".join(words).encode()).decode() if user else None

    def read(self, url: str) -> bytes:
        request = urllib.request.Request(url)
        if self.credentials and url.startswith(f"{self.url.partition('://')[0]}://{self.host}/"):
            # Such a header isn't sent again after a redirection.
            request.add_unredirected_header("Authorization", f"Basic {self.credentials}")
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return answer.read(LARGEST_BYTES)

    def wheel(self) -> bytes:
        page = f"{self.url}/pip/"
        links = Links(page)
        text = self.read(f"{page}index.html" if page.startswith("file:") else page)
        links.feed(text.decode("utf-8", "replace"))
        if WHEEL not in links.found:
            raise ValueError(f"{self.host or page} has no {WHEEL}")
        wheel = self.read(links.found[WHEEL])
        if hashlib.sha256(wheel).hexdigest() != SHA256:
            raise ValueError(f"{WHEEL} of {self.host or page} has another hash")
        return wheel


def settings_files():
    own = os.environ.get("PIP_CONFIG_FILE")
    if own is not None:
        return [own]
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return ["/etc/pip.conf", f"{home}/.pip/pip.conf", f"{config}/pip/pip.conf"]


def from_settings():
    """The index of pip's variable and files, of which a later one wins."""
    variable = os.environ.get("PIP_INDEX_URL")
    if variable:
        return variable
    settings = configparser.RawConfigParser()
    settings.read(settings_files())
    for section in ("install", "global"):
        for name in ("index-url", "index_url"):
            if settings.has_option(section, name):
                return settings.get(section, name)
    return None


def from_setuptools():
    """The default index of setuptools. A newer setuptools without one may hide an older one of the system."""
    for folder in sys.path:
        try:
            with open(f"{folder}/setuptools/package_index.py", encoding="utf-8") as file:
                found = re.search(r"""index_url\s*=\s*["'](https://[^"']+)["']""", file.read())
        except OSError:
            continue
        if found:
            return found.group(1)
    return None


def reason_of(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return f"HTTP status {error.code}" if isinstance(error, urllib.error.HTTPError) else str(reason)


def fetch(url: str) -> bytes:
    """A second try, because one lost packet must not fail a cluster."""
    index = Index(url)
    for is_last in (False, True):
        try:
            return index.wheel()
        except ValueError as error:
            raise SystemExit(str(error)) from None
        except (OSError, http.client.HTTPException) as error:
            if is_last:
                raise SystemExit(f"{index.host or index.url}: {reason_of(error)}") from None
    raise AssertionError


def main(folder: str, given: str = ""):
    url = given or from_settings() or from_setuptools()
    if not url:
        raise SystemExit("no package index is known in the image")
    # Without a scheme, an error would show a password that the text may have.
    if not url.startswith(("http://", "https://", "file:")):
        raise SystemExit("the image's package index is no URL of http, https or file")
    certificates = os.environ.get("PIP_CERT")
    if certificates:
        os.environ.setdefault("SSL_CERT_FILE", certificates)
    wheel = fetch(url)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{WHEEL}", "wb") as file:
        file.write(wheel)
    print(f"{folder}/{WHEEL}")


main(*sys.argv[1:])
