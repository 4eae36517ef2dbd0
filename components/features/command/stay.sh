#!/usr/bin/env bash
# The initial program of a cluster that stays. SIGHUP is how the broker tells that it was asked to shut down. That is no
# failure, but the broker's exit code is 1.
set -uo pipefail

mc_keeper=

# A signal may come before this script has a name for what it has started.
end() {
  [[ -z ${!:-} ]] || kill "$!"
  [[ -z $mc_keeper ]] || kill -- "-$mc_keeper"
} 2>/dev/null

trap end EXIT
trap ': >"$MINICLUSTER_RUN/shutdown"; exit 0' HUP
trap 'exit 143' TERM

: >"$MINICLUSTER_RUN/quorum"
if [[ -n ${MINICLUSTER_ARCHIVE_PERIOD:-} ]]; then
  # With a process group of its own, so that its end is also that of a dump: another one is made when the broker ends.
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
