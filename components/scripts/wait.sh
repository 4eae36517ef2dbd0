#!/bin/sh
# The container's first process: says in one line what the image lacks, before Flux gets to fail on it.
# Plain sh, because bash is one of the things that may be missing.
set -eu

# Flux of a view; the application's own programs come first.
[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"

missing() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'error=%s\n' "$1" 2>/dev/null >"$MINICLUSTER_TERMINATION_LOG" || :
  exit 78
}

flux_version() {
  flux version 2>/dev/null | while read -r label version _; do
    if [ "$label" = "libflux-core:" ]; then
      printf '%s\n' "${version%%-*}"
    fi
  done
}

# 0.88.1 and 0.72 become 88 and 72; from 1.0 on the major number counts a thousand.
version_rank() {
  major=${1%%.*}
  minor=${1#*.}
  printf '%s\n' "$((major * 1000 + ${minor%%.*}))"
}

command -v bash >/dev/null 2>&1 ||
  missing "the image has no bash; install bash in it"
command -v flux >/dev/null 2>&1 ||
  missing "the image has no flux on PATH ($PATH); install flux-core in it"

version=$(flux_version)
case $version in
[0-9]*.[0-9]*) ;;
*) missing "flux version does not say which flux-core this is; at least $MINICLUSTER_MINIMUM_FLUX is needed" ;;
esac
if [ "$(version_rank "$version")" -lt "$(version_rank "$MINICLUSTER_MINIMUM_FLUX")" ]; then
  missing "the image has flux-core $version; at least $MINICLUSTER_MINIMUM_FLUX is needed"
fi

[ -e "$MINICLUSTER_CERTIFICATE" ] ||
  missing "there is no certificate at $MINICLUSTER_CERTIFICATE"
[ -r "$MINICLUSTER_CERTIFICATE" ] ||
  missing "user $(id -u) may not read $MINICLUSTER_CERTIFICATE; set podSecurityContext.fsGroup to a group of that user"

exec bash "$MINICLUSTER_SCRIPTS/start.sh" "$@"
