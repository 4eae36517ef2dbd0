#!/bin/sh
# Init container (keygen: "initContainer"): checks what curve.py needs, and becomes it.
set -eu

# shellcheck source=components/parts/flux.sh
. "$MINICLUSTER_SCRIPTS/flux.sh"

need_flux
exec flux python "$MINICLUSTER_SCRIPTS/curve.py"
