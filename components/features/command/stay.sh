#!/usr/bin/env bash
# The initial program of a persistent cluster. The broker sends SIGHUP when it is shut down. That is not a failure,
# although the broker exits with 1.
set -uo pipefail

mc_keeper=

# Uses $!, because a signal may come before this script has saved the process id.
end() {
  [[ -z ${!:-} ]] || kill "$!"
  [[ -z $mc_keeper ]] || kill -- "-$mc_keeper"
} 2>/dev/null

trap end EXIT
trap ': >"$MINICLUSTER_RUN/shutdown"; exit 0' HUP
trap 'exit 143' TERM

: >"$MINICLUSTER_RUN/quorum"
if [[ -n ${MINICLUSTER_ARCHIVE_PERIOD:-} ]]; then
  # In its own process group, so that a running dump ends with it: the broker's end makes another dump.
  set -m
  bash "$MINICLUSTER_SCRIPTS/archive.sh" keep &
  mc_keeper=$!
  set +m
fi
if [[ -e $MINICLUSTER_SCRIPTS/restful.sh ]]; then
  bash "$MINICLUSTER_SCRIPTS/restful.sh" serve &
else
  : >"$MINICLUSTER_RUN/ready"
  sleep infinity &
fi
wait "$!"
