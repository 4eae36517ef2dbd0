#!/bin/sh
# Sourced by the scripts that need Flux, by sh and by bash: where it is, and what the image lacks of it.

# Flux of a view; the application's own programs come first.
case ":$PATH:" in
*":${MINICLUSTER_VIEW:-}/bin:"*) ;;
*) [ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin" ;;
esac

missing() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'error=%s\n' "$1" 2>/dev/null >"$MINICLUSTER_TERMINATION_LOG" || :
  exit 78
}

need_flux() {
  command -v flux >/dev/null 2>&1 ||
    missing "the image has no flux on PATH ($PATH); install flux-core in it"
}

# With FLUX_URI it would try for half a second to ask a broker that isn't there yet.
flux_version() {
  (unset FLUX_URI && exec flux version 2>/dev/null) | while read -r label version _; do
    if [ "$label" = "libflux-core:" ]; then
      printf '%s\n' "${version%%-*}"
    fi
  done
}

# 0.88.1 and 0.72 become 88 and 72; from 1.0 on the major number counts a thousand.
version_rank() {
  minor=${1#*.}
  printf '%s\n' "$((${1%%.*} * 1000 + ${minor%%.*}))"
}

# need_version OLDEST
need_version() {
  version=$(flux_version) || :
  case $version in
  [0-9]*.[0-9]*) ;;
  *) missing "flux version does not say which flux-core this is; at least $1 is needed" ;;
  esac
  [ "$(version_rank "$version")" -ge "$(version_rank "$1")" ] ||
    missing "the image has flux-core $version; at least $1 is needed"
}
