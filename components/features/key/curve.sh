#!/bin/sh
# Init container (keygen: "initContainer"): checks that the image has Flux, and runs curve.py.
set -eu

# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

add_view
need_flux
code=0
said=$(flux python "$MINICLUSTER_SCRIPTS/curve.py") || code=$?
[ "$code" != 0 ] || exit 0
# curve.py prints its own reasons.
[ -z "$said" ] || fail "$code" "$said"
fail 78 "flux python ended with exit code $code; the log of the container flux-curve has the reason"
