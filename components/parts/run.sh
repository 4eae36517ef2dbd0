#!/bin/sh
# The words that the scripts of a pod share: marks, failures, reports, and the way to Flux. Scripts for sh and for bash
# source this file, which only defines. A mark is a file of the pod's folder: docs/how-it-works.md#files-of-a-pod.

# Why a rank is drained or a job is cancelled when its pod leaves. undrain.sh, archive.sh and elastic_flux.py know the
# ranks that are drained for this reason.
# shellcheck disable=SC2034 # other scripts read it
mc_leaving="the pod is leaving"
# Why `minicluster drain` has drained a rank, as in maintain.py. Its next pod is undrained too.
# shellcheck disable=SC2034 # undrain.sh reads it
mc_maintained="the pod leaves for maintenance"

# has MARK: true if the mark is there, also if it is empty.
has() {
  [ -e "$MINICLUSTER_RUN/$1" ]
}

# mark MARK: creates or empties it. A full disk still takes an empty file, unless it has as many files as it can have: then
# a file that wait.sh has made for this mark gets its name.
mark() {
  { printf '' >"$MINICLUSTER_RUN/$1"; } 2>/dev/null || mv "$MINICLUSTER_RUN/spare.$1" "$MINICLUSTER_RUN/$1"
}

# say TEXT: writes a line to the log.
say() {
  printf 'minicluster: %s\n' "$1" >&2
}

# fail CODE TEXT: logs and reports the reason, and exits. 78: the image or the Secret lacks something.
fail() {
  report_error "$2"
  exit "$1"
}

report_error() {
  say "$1"
  report error "$1"
}

# report NAME VALUE: reports to JobStatus by the pod's termination message. The user's programs may write there too, so
# each line of this package has its name, and a copy is kept. Init containers have no folder for it.
report() {
  [ -z "${MINICLUSTER_RUN:-}" ] || printf 'minicluster.%s=%s\n' "$1" "$2" >>"$MINICLUSTER_RUN/report" || :
  printf 'minicluster.%s=%s\n' "$1" "$2" >>"$MINICLUSTER_TERMINATION_LOG" || :
} 2>/dev/null

# Writes the reports at the container's end before the end of what a program has written. Kubernetes keeps 4096 bytes, and
# fewer if the pod has more than three containers.
repeat_reports() {
  [ -s "$MINICLUSTER_RUN/report" ] || return 0
  if [ "$(wc -c <"$MINICLUSTER_RUN/report")" != "$(wc -c <"$MINICLUSTER_TERMINATION_LOG")" ]; then
    # bash would warn of bytes that are 0.
    { mc_end=$(tail -c 700 "$MINICLUSTER_TERMINATION_LOG"); } 2>/dev/null
    { cat "$MINICLUSTER_RUN/report" && printf '%s\n' "$mc_end"; } >"$MINICLUSTER_TERMINATION_LOG"
  fi
}

# With a view, Flux comes last on PATH, after the application's own programs.
add_view() {
  case ":$PATH:" in
  *":${MINICLUSTER_VIEW:-}/bin:"*) ;;
  *) [ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin" ;;
  esac
}

# For probes and preStop hooks: start.sh saves the paths that the user's hooks or the image's entrypoint have set.
use_flux() {
  if has paths.env; then
    # shellcheck source=/dev/null
    . "$MINICLUSTER_RUN/paths.env"
  else
    add_view
  fi
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
    fail 78 "the image has no ${lacks#, } on PATH ($PATH)$odds; add to it what is missing (mostly of the package \
coreutils), or correct PATH (environment, hooks)"
}

need_flux() {
  # bash also finds a file that is not executable.
  [ -x "$(command -v flux)" ] ||
    fail 78 "the image has no flux on PATH ($PATH)$(odd flux); install flux-core in it, or correct PATH"
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
    fail 78 "flux-core $1 or later is needed, but $(command -v flux) version says: ${said:-nothing}"
    ;;
  esac
  [ "$(version_rank "$version")" -ge "$(version_rank "$1")" ] ||
    fail 78 "$(command -v flux) is flux-core $version; at least $1 is needed"
}
