#!/bin/sh
# The pod that makes the key (keygen: "pod"): prints a certificate of flux keygen's, and nothing else.
set -eu

[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"

fail() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'error=%s\n' "$1" >"$MINICLUSTER_TERMINATION_LOG"
  exit 78
}

command -v flux >/dev/null 2>&1 ||
  fail "the image has no flux on PATH ($PATH); install flux-core in it"

umask 077
file=$MINICLUSTER_RUN/curve.cert
said=$(flux keygen --name="$MINICLUSTER_CLUSTER" "$file" 2>&1) ||
  fail "flux keygen has failed: $(printf '%s' "$said" | tr '\n' ' ')"
cat "$file"
