#!/bin/sh
# Init container (keygen: "initContainer"): checks that the image has Flux, and runs curve.py.
set -eu

# shellcheck source=components/parts/flux.sh
. "$MINICLUSTER_SCRIPTS/flux.sh"

need_flux
code=0
flux python "$MINICLUSTER_SCRIPTS/curve.py" || code=$?
# curve.py tells its own reasons.
[ "$code" = 0 ] || [ -s "$MINICLUSTER_TERMINATION_LOG" ] ||
  missing "flux python ended with exit code $code; the log of the container flux-curve has the reason"
exit "$code"
