#!/usr/bin/env bash
# The end of a pod of a cluster whose command gets a notice; rescue.sh sources this file. Tells the lead that this pod
# leaves, and waits until the lead has ended the command's job: a job that only loses a rank takes Flux up to 25 s to end,
# or its end isn't recorded.
# shellcheck disable=SC2154 # variables of ask.sh, run.sh and rescue.sh

rescue() {
  local rank=$JOB_COMPLETION_INDEX job='' drain='' decimal
  ! has attempt || read -r _ _ _ job <"$MINICLUSTER_RUN/attempt"
  # The next attempt must not get this rank. undrain.sh knows this reason. The pod may have a second only, so the notice
  # doesn't wait for an answer.
  if [[ $rank != 0 && -n ${MINICLUSTER_ON_RANK_LOSS:-} ]]; then
    if [[ -n $mc_asks ]]; then
      tell resource.drain "{\"targets\":\"$rank\",\"reason\":\"$mc_leaving\"}"
    else
      by_command resource drain "$rank" "$mc_leaving" &
      drain=$!
    fi
  fi
  if [[ -n $job ]] && tell_lead; then
    mark told
    while ((SECONDS < mc_until)) && ! has_ended_job; do
      look_later
    done
  fi
  # A relay that doesn't answer may run too.
  [[ -z $drain ]] || wait "$drain"
}

# The attempt may have ended; then Flux refuses. Severity 1 ends no job.
tell_lead() {
  local said="the pod of rank $rank is leaving"
  if [[ -z $mc_asks ]]; then
    by_command job raise --severity=1 --type=rank-leaves --message="$said" "$job"
  else
    decimal_of "$job"
    raise ask "$decimal" 1 rank-leaves "$said"
  fi
}

# The lead needs this pod's tasks until then. Tasks that ignore SIGTERM get SIGKILL after 5 s.
has_ended_job() {
  if [[ -z $mc_asks ]]; then
    by_command job wait-event --quiet "$job" clean
  elif ask job-list.list-id "{\"id\":$decimal,\"attrs\":[\"state\"]}"; then
    [[ $mc_json =~ \"state\":\ ?64([^0-9]|$) ]]
  else
    is_apart
  fi
}
