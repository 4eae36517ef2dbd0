"""The shell option stage-in: the files of an archive in FLUX_JOB_TMPDIR. Checked: src/shell/stage-in.c."""

import base64
import os
import stat


def stage(files: "list[dict]", folder: str) -> None:
    for entry in files:
        path = os.path.join(folder, entry["path"])
        if stat.S_ISDIR(entry["mode"]):
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if stat.S_ISLNK(entry["mode"]):
            os.symlink(entry["data"], path)
            continue
        with open(path, "wb") as file:
            file.writelines(map(base64.b64decode, entry["parts"]))
        os.chmod(path, stat.S_IMODE(entry["mode"]) & ~current_umask())


def current_umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
