#!/usr/bin/env bash
# The initial program of a cluster that stays. SIGHUP is how the broker tells that it was asked to shut down. That is no
# failure, but the broker's exit code is 1.
set -uo pipefail

child=
trap ': >"$MINICLUSTER_RUN/shutdown"; [[ -z $child ]] || kill "$child"; exit 0' HUP
trap '[[ -z $child ]] || kill "$child"; exit 143' TERM
if [[ -e $MINICLUSTER_SCRIPTS/restful.sh ]]; then
  bash "$MINICLUSTER_SCRIPTS/restful.sh" serve &
else
  : >"$MINICLUSTER_RUN/ready"
  sleep infinity &
fi
child=$!
wait "$child"
