#!/usr/bin/env bash
# `metrics.sh keep` keeps the metrics server of the lead running until the pod ends. start.sh calls it before the broker
# starts, so the server outlives each broker. A job may kill the server, because it has the same user.
# `metrics.sh count` counts the restarts of the broker.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# Sets python to that of Flux, which has the bindings, or to the image's own.
find_python() {
  local name
  python=(flux python)
  is_new_enough && return
  for name in python3 python; do
    python=("$name")
    is_new_enough && return
  done
  return 1
}

is_new_enough() {
  "${python[@]}" -c 'import sys; sys.exit(sys.version_info < (3, 6))' >/dev/null 2>&1
}

# In a child process: the server gets the default actions of the signals.
serve() {
  trap - ALRM HUP INT QUIT TERM USR1 USR2
  FLUX_URI=local://$MINICLUSTER_RUN/broker/local exec "${python[@]}" -B "$MINICLUSTER_SCRIPTS/metrics.py"
}

keep() {
  local code delay=1 started
  # Python searches the working directory for modules, and that of the pod may have some.
  cd "$MINICLUSTER_RUN" || exit
  if ! find_python; then
    say "metrics: the image has no Python 3.6 or later, so there are no metrics; install python3, or remove metrics"
    return
  fi
  trap '' ALRM HUP INT QUIT TERM USR1 USR2
  while :; do
    started=$SECONDS
    serve &
    wait "$!"
    code=$?
    ((SECONDS - started < 60)) || delay=1
    say "metrics: the server ended with $code and is restarted in $delay s"
    sleep "$delay"
    delay=$((delay < 32 ? delay * 2 : 32))
  done
}

# The folder may be full.
count() {
  local number=0
  { read -r number <"$MINICLUSTER_RUN/restarts"; } 2>/dev/null
  { printf '%d\n' "$((number + 1))" >"$MINICLUSTER_RUN/restarts"; } 2>/dev/null
}

"$1"
