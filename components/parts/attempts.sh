#!/usr/bin/env bash
# The beginning of lead.sh in a cluster whose command may be started again, or gets a notice before one of its pods ends.
# It is another `flux run`, which submits the command's job again after the loss of a rank.
set -uo pipefail

# No user has variables of these names. An exported one would reach the command with another value.
readonly mc_name=${1-}
readonly mc_memory=$MINICLUSTER_RUN/attempt
mc_attempt=1
mc_why=start
# The events of the last attempt's job, and its exit code.
mc_events=
mc_code=
# Not empty if the last attempt has got the signal of its checkpoint.
mc_signalled=

flux() {
  if [[ $1 == run ]]; then
    while [[ $1 != -- ]]; do
      shift
    done
    run_attempts "${@:2}"
  else
    command flux "$@"
  fi
}

run_attempts() {
  recall
  while :; do
    run_attempt "$@"
    mc_code=$?
    is_interrupted || break
    mc_attempt=$((mc_attempt + 1))
    mc_why="rank-loss"
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

run_attempt() {
  local mc_options=() note job keeper code
  choose_nodes
  set -f
  run_options "$mc_name"
  set +f
  mc_options+=("--env=MINICLUSTER_ATTEMPT=$mc_attempt" "--env=MINICLUSTER_ATTEMPT_REASON=$mc_why")
  note="$mc_attempt ${MINICLUSTER_FAILURES:-0} ${MINICLUSTER_NODES:-0}"
  ((mc_attempt == 1)) || printf 'minicluster: attempt %d of the command (%s)\n' "$mc_attempt" "$mc_why" >&2
  mc_events=''
  mc_signalled=''
  job=$(flux submit "${mc_options[@]}" -- bash "$MINICLUSTER_SCRIPTS/attempt.sh" "$mc_memory" "$note" "$@") || return
  # For notice.sh: the lead may have no task.
  printf '%s %s\n' "$note" "$job" >"$mc_memory"
  heed_notice "$job" &
  keeper=$!
  flux job attach "$job"
  code=$?
  ! wait "$keeper" || mc_signalled=yes
  mc_events=$(flux job eventlog "$job")
  return "$code"
}

# Sets the number of nodes for run_options. Flux itself lets the job wait until as many ranks are there.
choose_nodes() {
  case ${MINICLUSTER_ON_RANK_LOSS:-} in
  rerun) [[ -n ${MINICLUSTER_NODES:-} ]] || MINICLUSTER_NODES=$(ranks_up) ;;
  continue)
    MINICLUSTER_NODES=$(ranks_up)
    [[ $mc_why == rank-loss ]] || await_more_ranks
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

# Runs beside the command. If a pod leaves, the command gets its signal and its time, and then the job ends. The rank is
# drained before that, because the next attempt must not get it. True if the command has got its signal.
heed_notice() {
  local event signalled=''
  event=$(flux job wait-event --match-context=type=rank-leaves "$1" exception) || return
  if [[ -n ${MINICLUSTER_ON_RANK_LOSS:-} && $event =~ rank\ ([0-9]+) && ${BASH_REMATCH[1]} != 0 ]]; then
    flux resource drain "${BASH_REMATCH[1]}" "the pod is leaving" &
  fi
  if [[ -n ${MINICLUSTER_CHECKPOINT_SIGNAL:-} ]]; then
    # Flux refuses it if the job waits for nodes, or has ended.
    if flux job kill --signal="$MINICLUSTER_CHECKPOINT_SIGNAL" "$1"; then
      signalled=yes
      timeout "$MINICLUSTER_CHECKPOINT_SECONDS" flux job wait-event --quiet "$1" finish
    fi
  fi
  wait
  flux job raise --severity=0 --type=rank-leaves --message="the command is interrupted" "$1"
  [[ -n $signalled ]]
} 2>/dev/null

# True if a loss has interrupted the attempt and the command may start again. If this pod itself leaves, another pod
# starts the command again. After the signal, and after the end of its job, a command may end with 0 before its work is
# done.
is_interrupted() {
  local events=${mc_events%%' finish '*}
  ((mc_code)) || [[ -n $mc_signalled || $events == *' type="rank-leaves" severity=0 '* ]] || return
  if [[ $events == *' type="rank-leaves" '* ]]; then
    [[ ! -e $MINICLUSTER_RUN/leaving ]] || exec sleep infinity
    ((mc_code)) || mc_code=143
    [[ -n ${MINICLUSTER_ON_RANK_LOSS:-} ]]
  else
    ((mc_code)) && [[ -n ${MINICLUSTER_ON_RANK_LOSS:-} ]] && has_lost_a_pod
  fi
}

# True if Flux has ended the job because of a rank whose pod has gone. A broker that was killed is back in its pod after
# some seconds. That counts as a failure of the command, which may be its cause (memory).
has_lost_a_pod() {
  local rank tries
  find_failed_rank || return
  for ((tries = 0; tries < 15; tries++)); do
    [[ -z $(timeout 3 flux exec --noinput --rank="$rank" cat "$mc_memory" 2>/dev/null) ]] || return
    sleep 1
  done
}

# Sets `rank`. If a pod has ended its tasks but could not give notice any more, Flux ends the job because of these tasks.
# The host of a rank is called NAME-RANK.
find_failed_rank() {
  if [[ $mc_events =~ note=\"node\ failure\ on\ [^\"]*\(rank\ ([0-9]+)\)\" ]]; then
    rank=${BASH_REMATCH[1]}
  elif [[ $mc_events =~ \ on\ host\ [^\ .\"]*-([0-9]+)[^\"]*\ exit-timeout= ]]; then
    rank=${BASH_REMATCH[1]}
  else
    return 1
  fi
}

# JobStatus reads this from the pod's termination message.
tell_attempts() {
  printf 'attempts=%d\n' "$mc_attempt"
  if ((mc_attempt > 1)) && [[ $mc_events =~ ([0-9.]+)\ start ]]; then
    printf 'restarted=%s\n' "${BASH_REMATCH[1]}"
  fi
} >>"$MINICLUSTER_TERMINATION_LOG"
