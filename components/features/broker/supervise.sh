#!/usr/bin/env bash
# Runs a broker that must outlive its own ends: supervise.sh never|failure|always COMMAND...
# A follower's broker exits 0 when it loses the lead; were that the pod's exit, its index would count as completed and
# never be made again. So a follower is always started again, and being told to stop is never a success of its own.
set -uo pipefail

# shellcheck source=components/features/broker/processes.sh
source "$MINICLUSTER_SCRIPTS/processes.sh"

# No user has variables of these names: where one is exported, a value that is given here reaches the broker.
readonly mc_restart=$1
shift
# Milliseconds. Where the lead takes the cluster with it, its end mostly is the end, and a broker started in these last
# moments only takes the CPU that the others need to finish.
[[ $MINICLUSTER_MODE == ephemeral ]] && mc_shortest_delay=3000 || mc_shortest_delay=200
readonly mc_shortest_delay mc_longest_delay=5000
mc_delay=$mc_shortest_delay
# Lives in a row without a quorum that a lead has left. A first one that never had it won't get it by trying: Kubernetes has
# to see that. A later one may: but what its pod keeps may be broken, and a new pod begins anew.
mc_lives=1
# Whether this pod was told to stop, and whether a signal has ended `wait` early.
mc_stopped=
mc_interrupted=
# The process that this script waits for, the function that tells it to end, and the process that runs this function.
mc_child=
mc_end_by=
mc_ender=

stop() {
  mc_interrupted=yes
  # Kubernetes may tell a pod twice. A second signal would abort the broker's clean-up and its dump.
  [[ -z $mc_stopped ]] || return 0
  mc_stopped=yes
  [[ -z $mc_child ]] || end_child
}

end_child() {
  [[ -z $mc_ender ]] || return 0
  "$mc_end_by" "$mc_child" &
  mc_ender=$!
}

# A forked bash that has not become `sleep` yet loses any other signal.
end_pause() {
  kill -s KILL "$1" 2>/dev/null
}

end_broker() {
  if [[ $mc_restart == never ]] && has_ended; then
    # The broker is on its way out, and a signal would change its exit code.
    return
  elif [[ $mc_restart == always && $MINICLUSTER_MODE == ephemeral ]]; then
    # A broker waits long under a running job. This one has nothing to lose, and the lead is leaving too.
    stop_tasks
    kill -s KILL "$1" 2>/dev/null
  else
    tell_broker "$1"
  fi
}

# Flux ignores signals while it loads its built-in modules, so the signal is repeated. It has no children then. A second
# signal would abort its clean-up and its dump, which are children, and for which a follower needs no 5 s. From the quorum on
# the lead's broker has a child always, and hears the first signal.
tell_broker() {
  local tries heard=''
  for ((tries = 0; ${#heard} == 0; tries++)); do
    [[ ! -e $MINICLUSTER_RUN/quorum && ! -e $MINICLUSTER_RUN/ready ]] || heard=yes
    if [[ -n $heard ]] || ((tries == 0 || tries > 5)) || ! has_children "$1"; then
      kill -s TERM "$1" 2>/dev/null || return 0
    fi
    # It holds no pipe of the pod's log when it is left alone.
    sleep 1 >/dev/null 2>&1
  done
}

# begin ENDER COMMAND...: starts what stop() reaches, also with a signal that comes before its number is known.
begin() {
  mc_end_by=$1
  shift
  "$@" &
  mc_child=$!
  [[ -z $mc_stopped ]] || end_child
}

# A trapped signal ends `wait` early. What has ended meanwhile may already be forgotten, which `wait` says with 127.
await() {
  local code next
  wait "$mc_child"
  code=$?
  while [[ -n $mc_interrupted ]]; do
    mc_interrupted=
    wait "$mc_child" 2>/dev/null
    next=$?
    ((next == 127)) || code=$next
  done
  mc_child=
  if [[ -n $mc_ender ]]; then
    { kill -s KILL "$mc_ender" && wait "$mc_ender"; } 2>/dev/null
    mc_ender=
  fi
  return "$code"
}

# No command substitution here: if a signal arrives during one, bash 5.2 fails with a syntax error in the trap and loses
# the signal. A delay has three digits at least.
pause() {
  begin end_pause sleep "0${mc_delay%???}.${mc_delay: -3}"
  await 2>/dev/null
  mc_delay=$((mc_delay * 2 < mc_longest_delay ? mc_delay * 2 : mc_longest_delay))
}

# In a process of its own: bash 5.2 loses one in a hundred of the signals that come while it looks through the processes.
end_remains() {
  begin true end_processes broker
  await
}

# What only some clusters have: optional SCRIPT ARGUMENTS...
optional() {
  local script=$MINICLUSTER_SCRIPTS/$1
  shift
  [[ ! -e $script ]] || bash "$script" "$@"
}

# A broker that is told to stop exits 0 before its quorum, and then with what it makes of its initial program's end. Only
# the end of the command is the Job's.
finish() {
  local code=$1
  optional archive.sh save
  optional hook-post.sh
  if [[ -n $mc_stopped ]]; then
    if [[ $mc_restart != never ]] || ! has_ended; then
      code=143
    fi
  elif was_shut_down; then
    code=0
  elif [[ $mc_restart == never && $code == 0 ]] && ! has_ended; then
    printf 'minicluster: the broker ended before the command\n' >&2
    code=143
  fi
  exit "$code"
}

is_over() {
  local code=$1
  case $mc_restart in
  never) true ;;
  failure) ((code == 0 || mc_lives == 0)) || was_shut_down ;;
  *) false ;;
  esac
}

# What tells of the next start must not be there before it.
note_life() {
  rm -f "$MINICLUSTER_RUN/quorum"
  if [[ $mc_restart == failure && -e $MINICLUSTER_RUN/ready ]]; then
    rm -f "$MINICLUSTER_RUN/ready"
    mc_lives=3
    mc_delay=$mc_shortest_delay
  else
    mc_lives=$((mc_lives - 1))
  fi
}

# The command of an ephemeral cluster, which lead.sh tells of.
has_ended() {
  [[ -e $MINICLUSTER_RUN/ended ]]
}

# flux shutdown, which stay.sh hears of.
was_shut_down() {
  [[ $mc_restart == failure && -e $MINICLUSTER_RUN/shutdown ]]
}

trap stop HUP INT QUIT TERM

while :; do
  # The signal is on its way to a pod that is leaving (leave.sh): another broker would join for nothing.
  while [[ -z $mc_stopped && -e $MINICLUSTER_RUN/leaving ]]; do
    pause
  done
  [[ -z $mc_stopped ]] || finish 143
  mc_started=$SECONDS
  MINICLUSTER_BROKER=$MINICLUSTER_RUN/broker begin end_broker "$@"
  await
  mc_code=$?
  # Flux gives their cores to other jobs; and what tells of a life mustn't come after it.
  end_remains
  note_life
  if [[ -n $mc_stopped ]] || is_over "$mc_code"; then
    finish "$mc_code"
  fi
  # A follower that can't start ends at once; one that has lost its lead took 5 s to find out, and is waited for.
  if ((SECONDS - mc_started > 3)); then
    mc_delay=$mc_shortest_delay
  fi
  printf 'minicluster: broker ended with %d, starting it again in %d ms\n' "$mc_code" "$mc_delay" >&2
  pause
done
