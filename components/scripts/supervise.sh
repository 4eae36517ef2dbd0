#!/usr/bin/env bash
# PID 1 for a broker that must outlive its own ends: supervise.sh never|failure|always COMMAND...
# A follower's broker exits 0 when it loses the lead; were that the pod's exit, its index would count as completed and
# never be made again. So a follower is always started again, and being told to stop is never a success of its own.
set -uo pipefail

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
stopped=
child=
# Signal that stops the child, if not the one received. KILL for the pause: a forked bash that has not become `sleep` yet
# loses any other signal.
end_by=

stop() {
  stopped=$1
  [[ -z $child ]] || kill -s "${end_by:-$1}" "$child" 2>/dev/null
}

# Starts what stop() reaches, also with a signal that comes before its number is known.
begin() {
  "$@" &
  child=$!
  [[ -z $stopped ]] || kill -s "${end_by:-$stopped}" "$child" 2>/dev/null
}

# A trapped signal ends `wait` early, so wait until the child is really gone.
await() {
  local code
  while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
  done
  child=
  return "$code"
}

# No command substitution here: if a signal arrives during one, bash 5.2 fails with a syntax error in the trap and loses
# the signal. A delay has three digits at least.
pause() {
  end_by=KILL
  begin sleep "0${delay%???}.${delay: -3}"
  await 2>/dev/null
  end_by=
  delay=$((delay * 2 < longest_delay ? delay * 2 : longest_delay))
}

# What only some clusters have: optional SCRIPT ARGUMENTS...
optional() {
  local script=$MINICLUSTER_SCRIPTS/$1
  shift
  [[ ! -e $script ]] || bash "$script" "$@"
}

# A broker that is told to stop before its quorum exits 0, and that must not complete the Job.
finish() {
  local code=$1
  optional archive.sh save
  optional hook-post.sh
  if [[ -n $stopped ]]; then
    [[ $code != 0 || ($restart == never && -e $MINICLUSTER_RUN/ended) ]] || code=143
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
  if [[ $restart == failure && -e $MINICLUSTER_RUN/ready ]]; then
    rm -f "$MINICLUSTER_RUN/ready"
    lives=3
    delay=$shortest_delay
  else
    lives=$((lives - 1))
  fi
}

# flux shutdown, which lead.sh hears of.
was_shut_down() {
  [[ $restart == failure && -e $MINICLUSTER_RUN/shutdown ]]
}

trap 'stop TERM' TERM
trap 'stop INT' INT
trap 'stop HUP' HUP

while :; do
  # The signal is on its way to a pod that is leaving (leave.sh), and a broker that has just been started may not hear it:
  # Flux ignores signals while it loads its built-in modules.
  while [[ -z $stopped && -e $MINICLUSTER_RUN/leaving ]]; do
    pause
  done
  [[ -z $stopped ]] || finish 143
  started=$SECONDS
  begin "$@"
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
  pause
done
