#!/bin/sh
# Init container (keygen: "initContainer"): checks what curve.py needs, and becomes it.
set -eu

[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"

command -v flux >/dev/null 2>&1 || {
  printf 'error=%s\n' "the image has no flux on PATH ($PATH); install flux-core in it" >"$MINICLUSTER_TERMINATION_LOG"
  exit 78
}
exec flux python "$MINICLUSTER_SCRIPTS/curve.py"
