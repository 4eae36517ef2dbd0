#!/bin/sh
# Finds Flux and reports what the image lacks. Scripts for sh and for bash source this file.

# With a view, Flux comes last in PATH, after the application's own programs.
case ":$PATH:" in
*":${MINICLUSTER_VIEW:-}/bin:"*) ;;
*) [ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin" ;;
esac

missing() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'minicluster.error=%s\n' "$1" 2>/dev/null >>"$MINICLUSTER_TERMINATION_LOG" || :
  exit 78
}

# odd PROGRAM: tells of folders, broken links and other files of this name on PATH that can't be run.
odd() (
  IFS=:
  for folder in $PATH; do
    [ ! -e "$folder/$1" ] && [ ! -L "$folder/$1" ] || printf '; %s is no executable file' "$folder/$1"
  done
)

# need_programs WORD...: reports all programs that the image lacks. A word is PROGRAM, or ARGUMENT:PROGRAM if only clusters
# with this argument need it.
need_programs() {
  lacks=
  odds=
  for word; do
    command -v "${word##*:}" >/dev/null 2>&1 && continue
    lacks="$lacks, ${word##*:}"
    [ "${word%:*}" = "$word" ] || lacks="$lacks (for ${word%:*})"
    odds=$odds$(odd "${word##*:}")
  done
  [ -z "$lacks" ] ||
    missing "the image has no ${lacks#, } on PATH ($PATH)$odds; add to it what is missing (mostly of the package \
coreutils), or correct PATH (environment, hooks)"
}

need_flux() {
  # bash also finds a file that is not executable.
  [ -x "$(command -v flux)" ] ||
    missing "the image has no flux on PATH ($PATH)$(odd flux); install flux-core in it, or correct PATH"
}

# With FLUX_URI, `flux version` would try for half a second to ask a broker that doesn't run yet.
flux_version() {
  (unset FLUX_URI && exec flux version 2>/dev/null) | while read -r label version _; do
    if [ "$label" = "libflux-core:" ]; then
      printf '%s\n' "${version%%-*}"
    fi
  done
}

# 0.88.1 becomes 88, 0.72 becomes 72, and 1.0 becomes 1000.
version_rank() {
  minor=${1#*.}
  printf '%s\n' "$((${1%%.*} * 1000 + ${minor%%.*}))"
}

# need_version MINIMUM
need_version() {
  version=$(flux_version) || :
  case $version in
  [0-9]*.[0-9]*) ;;
  *)
    said=$( (unset FLUX_URI && flux version 2>&1) | tail -n 1) || :
    missing "flux-core $1 or later is needed, but $(command -v flux) version says: ${said:-nothing}"
    ;;
  esac
  [ "$(version_rank "$version")" -ge "$(version_rank "$1")" ] ||
    missing "$(command -v flux) is flux-core $version; at least $1 is needed"
}
