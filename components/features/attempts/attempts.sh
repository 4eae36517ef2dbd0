#!/usr/bin/env bash
# A command that may be started again, or gets a notice before one of its pods ends. lead.sh sources this file, and calls
# run_attempts in place of `flux run`; it submits the command's job again after the loss of a rank.

# No user has variables of these names. An exported one would reach the command with another value.
readonly mc_name=${1-}
readonly mc_memory=$MINICLUSTER_RUN/attempt
# For lead.sh.
# shellcheck disable=SC2034
readonly mc_follow=run_attempts
mc_attempt=1
mc_why=start
# The events of the last job, and its exit code.
mc_events=
mc_code=
# Not empty if the last job has got the signal of its checkpoint.
mc_signalled=

# run_attempts run OPTION... -- WORD...
run_attempts() {
  while [[ $1 != -- ]]; do
    shift
  done
  shift
  recall
  tell_number
  while :; do
    run_job "$@"
    mc_code=$?
    is_interrupted || break
    # A job that never had resources is submitted again as the same attempt (heed_ranks).
    if has_event alloc "$mc_events"; then
      mc_attempt=$((mc_attempt + 1))
      mc_why="rank-loss"
      tell_number
    fi
  done
  tell_attempts
  return "$mc_code"
}

# Sets the number of this pod's first attempt: it follows that of the last attempt which a follower remembers. If no
# follower does, Kubernetes' count of the lead's earlier pods decides.
recall() {
  local number failures nodes last=0 counted=${MINICLUSTER_FAILURES:-0} known=0
  mc_attempt=$((1 + counted + ${MINICLUSTER_REMOVALS:-0}))
  ((mc_attempt > 1)) || return 0
  while read -r number failures nodes _; do
    ((number > last)) || continue
    last=$number known=$failures
    [[ ${MINICLUSTER_ON_RANK_LOSS:-} != rerun || $nodes == 0 ]] || MINICLUSTER_NODES=$nodes
  done < <(timeout 10 flux exec --noinput --rank=all cat "$mc_memory" 2>/dev/null)
  ((last < mc_attempt)) || mc_attempt=$((last + 1))
  ((counted > known)) && mc_why="failure" || mc_why="lead-loss"
}

tell_number() {
  ((mc_attempt == 1)) || say "attempt $mc_attempt of the command ($mc_why)"
}

run_job() {
  local mc_options=() note job keeper waiter code
  choose_nodes
  set -f
  run_options "$mc_name"
  set +f
  mc_options+=("--env=MINICLUSTER_ATTEMPT=$mc_attempt" "--env=MINICLUSTER_ATTEMPT_REASON=$mc_why")
  note="$mc_attempt ${MINICLUSTER_FAILURES:-0} ${MINICLUSTER_NODES:-0}"
  mc_events=''
  mc_signalled=''
  job=$(flux submit "${mc_options[@]}" -- bash "$MINICLUSTER_SCRIPTS/attempt.sh" "$mc_memory" "$note" "$@") || return
  # For notice.sh: the lead may have no task.
  printf '%s %s\n' "$note" "$job" >"$mc_memory"
  heed_notice "$job" &
  keeper=$!
  heed_ranks "$job" "${mc_options[1]}" &
  waiter=$!
  follow job attach "$job"
  code=$?
  ! wait "$keeper" || mc_signalled=yes
  wait "$waiter"
  mc_events=$(flux job eventlog "$job")
  return "$code"
}

# Sets the number of nodes for run_options. Flux itself lets the job wait until as many ranks are up.
choose_nodes() {
  case ${MINICLUSTER_ON_RANK_LOSS:-} in
  rerun) [[ -n ${MINICLUSTER_NODES:-} ]] || MINICLUSTER_NODES=$(ranks_to_use) ;;
  continue)
    MINICLUSTER_NODES=$(ranks_up)
    # Only the first job of this pod waits for ranks that join.
    [[ -n $mc_events ]] || await_more_ranks
    ((MINICLUSTER_NODES >= MINICLUSTER_QUORUM)) || MINICLUSTER_NODES=$MINICLUSTER_QUORUM
    ;;
  esac
}

# The lead has its quorum of minSize ranks, and the other ranks of a new lead join within seconds.
await_more_ranks() {
  local size tries
  size=$(flux getattr size)
  for ((tries = 0; tries < 30 && MINICLUSTER_NODES < size; tries++)); do
    sleep 1
    MINICLUSTER_NODES=$(ranks_up)
  done
}

ranks_up() {
  flux resource list --states=up --no-header --format='{nnodes}'
}

# Runs beside the job until it has resources or has ended, and tells that the command waits for ranks. If the command
# may go on with the ranks that are up, this ends the job, and run_attempts submits it again for them.
heed_ranks() {
  local job=$1 needed=$2 up target told='' events
  while ! flux job wait-event --quiet --timeout=3s "$job" alloc 2>/dev/null; do
    events=$(flux job eventlog "$job" 2>/dev/null) || return
    ! has_event clean "$events" || return 0
    up=$(ranks_up)
    [[ $up =~ ^[0-9]+$ ]] || continue
    ((up < needed)) || continue
    target=$needed
    [[ ${MINICLUSTER_ON_RANK_LOSS:-} != continue ]] || target=$((up > MINICLUSTER_QUORUM ? up : MINICLUSTER_QUORUM))
    if ((target < needed)); then
      end_pending "$job" || continue
      tell_ranks "is submitted again" "$up" "$needed"
    elif [[ $up != "$told" ]]; then
      tell_ranks waits "$up" "$needed"
      told=$up
    fi
  done
  [[ -z $told ]] || say "attempt $mc_attempt of the command starts"
}

tell_ranks() {
  say "attempt $mc_attempt of the command $1: $2 of $3 ranks are up"
}

# Ends a job that has no resources; false if it has some, or has ended. Flux refuses to hold a job that has resources, and
# gives none to a held job. The scheduler may have given resources just before the hold: then the job has the event alloc.
end_pending() {
  flux job urgency "$1" hold || return
  ! has_event alloc "$(flux job eventlog "$1")" || return
  flux job raise --severity=0 --type=rank-leaves --message="the command goes on with fewer ranks" "$1"
} 2>/dev/null

# has_event NAME EVENTS: looks at the beginning of each line, because a user's memo or note may have any words. With its
# first words, NAME selects an exception.
has_event() {
  local line=$'(^|\n)[0-9.]+ '"$1"$'( |\n|$)'
  [[ $2 =~ $line ]]
}

# Runs beside the command. If a pod leaves, the command gets its signal and its time, and then the job ends. The pod has
# drained its rank (notice.sh). This starts no process then, because the command may have taken all of the pod. True if
# the command has got its signal.
heed_notice() {
  local job=$1 line='' log runs='' signal='' signalled='' end
  [[ -z ${MINICLUSTER_CHECKPOINT_SIGNAL:-} ]] || signal=$(kill -l "${MINICLUSTER_CHECKPOINT_SIGNAL#SIG}")
  exec {log}< <(exec flux job wait-event --verbose "$job" clean)
  # shellcheck source=components/features/ending/ask.sh
  source "$MINICLUSTER_SCRIPTS/ask.sh"
  until has_event 'exception type="rank-leaves"' "$line"; do
    ! has_event start "$line" || runs=yes
    ! has_event finish "$line" || runs=
    IFS= read -r -u "$log" line || return 1
  done
  if [[ -n $signal && -n $runs ]]; then
    # Flux refuses it if the job has ended. The relay's answer isn't read, because a hook of this pod may read others.
    if send_signal; then
      signalled=yes
      end=$((SECONDS + MINICLUSTER_CHECKPOINT_SECONDS))
      until has_event finish "$line" || ((SECONDS >= end)); do
        IFS= read -r -t "$((end - SECONDS))" -u "$log" line || break
      done
    fi
  fi
  end_job
  [[ -n $signalled ]]
} 2>/dev/null

send_signal() {
  if open_relay; then
    decimal_of "$job"
    tell job-manager.kill "{\"id\":$decimal,\"signum\":$signal}"
  else
    flux job kill --signal="$MINICLUSTER_CHECKPOINT_SIGNAL" "$job"
  fi
}

end_job() {
  local note="the command is interrupted"
  if open_relay; then
    decimal_of "$job"
    raise tell "$decimal" 0 rank-leaves "$note"
  else
    flux job raise --severity=0 --type=rank-leaves --message="$note" "$job"
  fi
}

# True if a loss has interrupted the job, also while it was pending, and the command may start again. If this pod itself
# leaves, another pod starts the command again. After the signal, and after the end of its job, a command may end with 0
# before its work is done.
is_interrupted() {
  local events=$mc_events finish=$'(^|\n)[0-9.]+ finish '
  [[ ! $events =~ $finish ]] || events=${events%%"${BASH_REMATCH[0]}"*}
  ((mc_code)) || [[ -n $mc_signalled ]] || has_event 'exception type="rank-leaves" severity=0' "$events" || return
  if has_event 'exception type="rank-leaves"' "$events"; then
    ! has leaving || exec sleep infinity
    ((mc_code)) || mc_code=143
    [[ -n ${MINICLUSTER_ON_RANK_LOSS:-} ]]
  else
    ((mc_code)) && [[ -n ${MINICLUSTER_ON_RANK_LOSS:-} ]] && has_lost_a_pod
  fi
}

# True if Flux has ended the job because of a rank whose pod is lost. A broker that was killed is back in its pod after
# some seconds. That counts as a failure of the command, which may be its cause (memory). On a full disk, the memory is
# empty.
has_lost_a_pod() {
  local rank tries
  find_failed_rank || return
  for ((tries = 0; tries < 15; tries++)); do
    ! timeout 3 flux exec --noinput --rank="$rank" cat "$mc_memory" &>/dev/null || return
    sleep 1
  done
}

# Sets `rank`. If a pod has ended its tasks but could not give notice any more, Flux ends the job because of these tasks.
# The host of a rank is called NAME-RANK.
find_failed_rank() {
  local line=$'(^|\n)[0-9.]+ exception [^\n]*'
  [[ $mc_events =~ ${line}'note="node failure on '[^\"]*\(rank\ ([0-9]+)\)\" ]] ||
    [[ $mc_events =~ ${line}' on host '[^\ .\"]*-([0-9]+)[^\"]*\ exit-timeout= ]] || return
  rank=${BASH_REMATCH[2]}
}

tell_attempts() {
  local start=$'(^|\n)([0-9.]+) start(\n|$)'
  report attempts "$mc_attempt"
  if ((mc_attempt > 1)) && [[ $mc_events =~ $start ]]; then
    report restarted "${BASH_REMATCH[2]}"
  fi
}
