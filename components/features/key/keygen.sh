#!/bin/sh
# The pod that creates the key (keygen: "pod"): prints a certificate of `flux keygen`, and nothing else.
set -eu

# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

add_view
need_flux
umask 077
file=$MINICLUSTER_RUN/curve.cert
if ! said=$(flux keygen --name="$MINICLUSTER_CLUSTER" "$file" 2>&1); then
  set -f
  # shellcheck disable=SC2086 # in one line
  fail 78 "flux keygen has failed: $(printf '%s ' $said)"
fi
while IFS= read -r line; do
  printf '%s\n' "$line"
done <"$file"
