#!/usr/bin/env bash
# Runs a broker that must outlive its own ends: supervise.sh never|failure|always COMMAND...
# A follower's broker exits 0 when it loses the lead; were that the pod's exit, its index would count as completed and
# never be made again. So a follower is always started again, and being told to stop is never a success of its own.
set -uo pipefail

# shellcheck source=components/scripts/processes.sh
source "$MINICLUSTER_SCRIPTS/processes.sh"

readonly restart=$1
shift
# Milliseconds. Where the lead takes the cluster with it, its end mostly is the end, and a broker started in these last
# moments only takes the CPU that the others need to finish.
[[ $MINICLUSTER_MODE == ephemeral ]] && shortest_delay=3000 || shortest_delay=200
readonly shortest_delay longest_delay=5000
delay=$shortest_delay
# Lives in a row without a quorum that a lead has left. A first one that never had it won't get it by trying: Kubernetes has
# to see that. A later one may: but what its pod keeps may be broken, and a new pod begins anew.
lives=1
# Whether this pod was told to stop, and whether a signal has ended `wait` early.
stopped=
interrupted=
# The process that is waited for, how it is told to end, and the process that does that.
child=
end_by=
ender=

stop() {
  interrupted=yes
  # Kubernetes may tell a pod twice. A second signal would abort the broker's clean-up and its dump.
  [[ -z $stopped ]] || return 0
  stopped=yes
  [[ -z $child ]] || end_child
}

end_child() {
  [[ -z $ender ]] || return 0
  "$end_by" "$child" &
  ender=$!
}

# A forked bash that has not become `sleep` yet loses any other signal.
end_pause() {
  kill -s KILL "$1" 2>/dev/null
}

end_broker() {
  if [[ $restart == never ]] && has_ended; then
    # The broker is on its way out, and a signal would change its exit code.
    return
  elif [[ $restart == always && $MINICLUSTER_MODE == ephemeral ]]; then
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
  end_by=$1
  shift
  "$@" &
  child=$!
  [[ -z $stopped ]] || end_child
}

# A trapped signal ends `wait` early. What has ended meanwhile may already be forgotten, which `wait` says with 127.
await() {
  local code next
  wait "$child"
  code=$?
  while [[ -n $interrupted ]]; do
    interrupted=
    wait "$child" 2>/dev/null
    next=$?
    ((next == 127)) || code=$next
  done
  child=
  if [[ -n $ender ]]; then
    { kill -s KILL "$ender" && wait "$ender"; } 2>/dev/null
    ender=
  fi
  return "$code"
}

# No command substitution here: if a signal arrives during one, bash 5.2 fails with a syntax error in the trap and loses
# the signal. A delay has three digits at least.
pause() {
  begin end_pause sleep "0${delay%???}.${delay: -3}"
  await 2>/dev/null
  delay=$((delay * 2 < longest_delay ? delay * 2 : longest_delay))
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
  end_remains
  optional archive.sh save
  optional hook-post.sh
  if [[ -n $stopped ]]; then
    if [[ $restart != never ]] || ! has_ended; then
      code=143
    fi
  elif was_shut_down; then
    code=0
  fi
  exit "$code"
}

is_over() {
  local code=$1
  case $restart in
  never) true ;;
  failure) ((code == 0 || lives == 0)) || was_shut_down ;;
  *) false ;;
  esac
}

# What tells of the next start must not be there before it.
note_life() {
  rm -f "$MINICLUSTER_RUN/quorum"
  if [[ $restart == failure && -e $MINICLUSTER_RUN/ready ]]; then
    rm -f "$MINICLUSTER_RUN/ready"
    lives=3
    delay=$shortest_delay
  else
    lives=$((lives - 1))
  fi
}

# The command of an ephemeral cluster, which lead.sh tells of.
has_ended() {
  [[ -e $MINICLUSTER_RUN/ended ]]
}

# flux shutdown, which stay.sh hears of.
was_shut_down() {
  [[ $restart == failure && -e $MINICLUSTER_RUN/shutdown ]]
}

trap stop HUP INT QUIT TERM

while :; do
  # The signal is on its way to a pod that is leaving (leave.sh): another broker would join for nothing.
  while [[ -z $stopped && -e $MINICLUSTER_RUN/leaving ]]; do
    pause
  done
  [[ -z $stopped ]] || finish 143
  started=$SECONDS
  MINICLUSTER_BROKER=$MINICLUSTER_RUN/broker begin end_broker "$@"
  await
  code=$?
  note_life
  if [[ -n $stopped ]] || is_over "$code"; then
    finish "$code"
  fi
  # A follower that can't start ends at once; one that has lost its lead took 5 s to find out, and is waited for.
  if ((SECONDS - started > 3)); then
    delay=$shortest_delay
  fi
  printf 'minicluster: broker ended with %d, starting it again in %d ms\n' "$code" "$delay" >&2
  # Flux has given their cores to other jobs.
  end_remains
  pause
done
