#!/usr/bin/env bash
# The lives of a broker: counts its starts and failures, and judges its end. supervise.sh sources this file.
# No user has variables of these names. supervise.sh has the others.
# shellcheck disable=SC2034,SC2154

# `flux shutdown` makes the broker exit with this code, and a signal doesn't. Nor does any program of the broker.
readonly mc_shutdown_code=76
# The number of starts without a quorum that a lead has left. A lead that never had a quorum gets one try: another one
# would not help, and Kubernetes has to see the failure. A lead that had a quorum gets three tries. Then its pod ends,
# because the files that the pod keeps may be damaged, and a new pod starts without them.
mc_lives=1
# A module that fails again and again does so because of a job in the queue, which a new pod doesn't have.
readonly mc_failures_limit=3 mc_failures_seconds=60
mc_failures=0
mc_failure=
mc_had_quorum=

# Before its first quorum, a broker has told the reason itself.
tell_failure() {
  local said="the lead's broker has ended 3 times in a row"
  if find_full_disk; then
    said="the disk of $mc_full is full, and the lead's broker can't run"
  elif ((mc_failures == mc_failures_limit)); then
    said+=": $mc_failure; a job in the queue may be the cause"
  elif [[ -n $mc_had_quorum ]]; then
    said+=" without its quorum; its log has the reason, a job in the queue may be the cause"
  else
    return
  fi
  report_error "$said"
}

# Sets mc_full to a folder of the broker to which no block can be written.
find_full_disk() {
  for mc_full in "$MINICLUSTER_STATE" "$MINICLUSTER_RUN"; do
    [[ ! -w $mc_full ]] || { printf '%4096s' '' >"$mc_full/probe"; } 2>/dev/null || return 0
  done
  return 1
}

is_over() {
  local code=$1
  case $mc_restart in
  never) true ;;
  failure) ((mc_lives == 0 || mc_failures == mc_failures_limit)) || was_shut_down "$code" ;;
  *) false ;;
  esac
}

# Counts the failures of modules. stay.sh writes their names into the file.
note_failure() {
  mc_failure=
  { read -r mc_failure <"$MINICLUSTER_RUN/failure"; } 2>/dev/null
  if [[ -z $mc_failure ]] || ((SECONDS - mc_started >= mc_failures_seconds)); then
    mc_failures=0
  else
    mc_failures=$((mc_failures + 1))
  fi
}

# Removes the files by which the next start reports its quorum, and counts the starts.
note_life() {
  rm -f "$MINICLUSTER_RUN/quorum"
  if [[ $mc_restart == failure ]] && has ready; then
    rm -f "$MINICLUSTER_RUN/ready"
    mc_had_quorum=yes
    mc_lives=3
    mc_delay=$mc_shortest_delay
  else
    mc_lives=$((mc_lives - 1))
  fi
}

# True if the command of an ephemeral cluster has ended: lead.sh writes its exit code into the file.
has_ended() {
  [[ -s $MINICLUSTER_RUN/ended ]]
}

# True after `flux shutdown`: stay.sh writes the file if no module has failed.
was_shut_down() {
  [[ $mc_restart == failure && $1 == "$mc_shutdown_code" ]] && has shutdown
}
