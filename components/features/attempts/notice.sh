#!/bin/sh
# preStop hook of a cluster whose command gets a notice. Tells the lead that this pod leaves, and waits until the lead
# has ended the command's job: a job that only loses a rank takes Flux up to 25 s to end, or its end isn't recorded.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

use_flux
rank=$JOB_COMPLETION_INDEX

# lead.sh and supervise.sh start nothing in this pod any more.
mark leaving
job=
told=
! has attempt || read -r _ _ _ job <"$MINICLUSTER_RUN/attempt"
# First, because the pod may have a second only. The attempt may have ended; then Flux refuses. Severity 1 ends no job.
if [ -n "$job" ] &&
  try_flux job raise --severity=1 --type=rank-leaves --message="the pod of rank $rank is leaving" "$job"; then
  told=yes
  mark told
fi
# The next attempt must not get this rank. If several pods leave, the lead drains the first one only. undrain.sh knows
# this reason.
if [ "$rank" != 0 ] && [ -n "${MINICLUSTER_ON_RANK_LOSS:-}" ]; then
  try_flux resource drain "$rank" "$mc_leaving"
fi
# Tasks that ignore SIGTERM get SIGKILL after 5 s.
[ -z "$told" ] || timeout "$((${MINICLUSTER_CHECKPOINT_SECONDS:-0} + 8))" flux job wait-event --quiet "$job" clean
exit 0
