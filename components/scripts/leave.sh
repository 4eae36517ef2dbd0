#!/bin/sh
# preStop hook of a cluster that stays. A rank that is taken away takes itself out of scheduling first, and rank 0 all of
# them; then running jobs get the time that was asked for.
[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"
rank=$JOB_COMPLETION_INDEX
seconds=${MINICLUSTER_DRAIN_TIMEOUT:-}

if [ "$rank" = 0 ]; then
  [ -n "$seconds" ] || exit 0
  # Not for ever: an archive would keep it.
  flux queue stop --all --nocheckpoint --quiet
  exec timeout "$seconds" flux queue idle --quiet
fi

: >"$MINICLUSTER_RUN/leaving"
timeout 3 flux resource drain "$rank" "the pod is leaving"
code=$?
[ -n "$seconds" ] || exit "$code"
for job in $(flux jobs --no-header --filter=running --include="$rank" --format='{id.dec}'); do
  timeout "$seconds" flux job wait-event --quiet "$job" clean &
done
wait
