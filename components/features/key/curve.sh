#!/bin/sh
# Init container (keygen: "initContainer"): checks that the image has Flux, and runs curve.py.
set -eu

# shellcheck source=components/parts/flux.sh
. "$MINICLUSTER_SCRIPTS/flux.sh"

need_flux
exec flux python "$MINICLUSTER_SCRIPTS/curve.py"
