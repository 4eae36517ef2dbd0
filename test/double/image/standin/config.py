"""Reading broker configuration. Checked: src/common/libflux/conf.c, src/common/libtomlc99/."""

import glob
import json
import os
import stat
import tomllib

from .errors import Refusal


def merge_tables(into: dict, new: dict) -> None:
    """Merges tables key by key. A later value replaces an earlier one."""
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge_tables(into[key], value)
        else:
            into[key] = value


def read_file(path: str) -> dict:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from None
    try:
        if path.endswith(".json"):
            table = json.loads(content)
            if not isinstance(table, dict):
                raise Refusal(f"{path}: JSON must be an object")
            return table
        return tomllib.loads(content.decode())
    except (ValueError, UnicodeDecodeError) as error:
        raise Refusal(f"{path}: {error}") from None


def read_config(path: str) -> dict:
    """Reads a file, or all *.toml of a folder in the order of their names."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise Refusal(f"stat: {path}: {error.strerror}") from None
    if not stat.S_ISDIR(mode):
        return read_file(path)
    if not os.access(path, os.R_OK | os.X_OK):
        raise Refusal(f"{path}: Permission denied")
    config: dict = {}
    for name in sorted(glob.glob(f"{glob.escape(path)}/*.toml")):
        merge_tables(config, read_file(name))
    return config


def update_config(config: dict, value: str) -> None:
    """Applies `--conf=`: lines of TOML, a JSON object, KEY=VAL, or the path of a file."""
    try:
        if "\n" in value and not value.lstrip().startswith("{"):
            merge_tables(config, tomllib.loads(value))
        elif value.lstrip().startswith("{"):
            merge_tables(config, json.loads(value))
        elif "=" in value:
            set_key(config, *value.split("=", 1))
        else:
            merge_tables(config, read_file(value))
    except ValueError as error:
        raise Refusal(f"inline: {error}") from None


def set_key(config: dict, key: str, text: str) -> None:
    if not key:
        raise Refusal("value must have a key in KEY=VAL")
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    *parents, last = key.split(".")
    table = config
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise Refusal(f"setting {key}: Invalid argument")
    table[last] = value
