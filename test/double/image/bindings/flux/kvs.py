"""The key-value store. Checked: src/bindings/python/flux/kvs.py."""

from flux import Flux, Future

STAGED: dict[Flux, dict[str, object]] = {}


def put(flux_handle: Flux, key: str, value: object) -> None:
    STAGED.setdefault(flux_handle, {})[key] = [value]


def put_unlink(flux_handle: Flux, key: str) -> None:
    STAGED.setdefault(flux_handle, {})[key] = None


def commit(flux_handle: Flux) -> None:
    Future(flux_handle, "kvs.commit", {"changes": STAGED.pop(flux_handle, {})}).get()


def exists(flux_handle: Flux, key: str) -> bool:
    try:
        get(flux_handle, key)
    except OSError:
        return False
    return True


def get(flux_handle: Flux, key: str) -> dict:
    return Future(flux_handle, "kvs.value", {"key": key}).get()["value"]
