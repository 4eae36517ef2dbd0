#!/bin/sh
# preStop hook: a rank that is taken away from a cluster that stays takes itself out of scheduling first.
[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"
[ "$MINICLUSTER_MODE" = persistent ] && [ "$JOB_COMPLETION_INDEX" != 0 ] || exit 0
exec timeout 3 flux resource drain "$JOB_COMPLETION_INDEX" "the pod is leaving"
