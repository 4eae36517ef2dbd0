#!/usr/bin/env bash
# Runs a broker and restarts it when it ends: supervise.sh never|failure|always COMMAND...
# A follower's broker exits with 0 when it loses the lead. If the pod exited with 0, its index would count as completed,
# and Kubernetes would never recreate the pod. So a follower's broker is always restarted, and a signal to stop alone
# never leads to exit code 0. The lead of a persistent cluster exits with 0 only after `flux shutdown`: jobs have the
# same user as the broker, and may end it and its modules in many ways.
set -uo pipefail

# shellcheck source=components/features/broker/processes.sh
source "$MINICLUSTER_SCRIPTS/processes.sh"
# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"
# shellcheck source=components/features/broker/lives.sh
source "$MINICLUSTER_SCRIPTS/lives.sh"
# shellcheck source=components/features/ending/ask.sh
[[ ! -e $MINICLUSTER_SCRIPTS/ask.sh ]] || source "$MINICLUSTER_SCRIPTS/ask.sh"

# No user has variables of these names. An exported one would reach the broker with another value.
readonly mc_restart=$1
shift
# Milliseconds. An ephemeral cluster ends with its lead, so a follower's broker mostly ends because the cluster does. A
# broker that restarts too early only takes the CPU that the other brokers need to finish.
[[ $MINICLUSTER_MODE == ephemeral ]] && mc_shortest_delay=3000 || mc_shortest_delay=200
readonly mc_shortest_delay mc_longest_delay=5000
mc_delay=$mc_shortest_delay
# mc_stopped: this pod was told to stop. mc_interrupted: a signal has ended `wait` early.
mc_stopped=
mc_interrupted=
# The process that this script waits for, the function that ends it, and the process that runs this function.
mc_child=
mc_end_by=
mc_ender=

stop() {
  mc_interrupted=yes
  # wait.sh makes this file before it passes on the pod's signal. Any other signal is a job's, such as `pkill bash`.
  has stopped || return 0
  # Kubernetes may send the signal twice. The broker would abort its clean-up and its dump at the second signal.
  [[ -z $mc_stopped ]] || return 0
  mc_stopped=yes
  [[ $mc_end_by != end_broker ]] || rescue_here
  [[ -z $mc_child ]] || end_child
}

# Does what the preStop hook could not do: Kubernetes may have had no time or no process for it. Not in a child process,
# because a job may have taken all processes of the pod.
rescue_here() {
  if ! has told && ! { [[ $mc_restart == never ]] && has_ended; } && [[ -e $MINICLUSTER_SCRIPTS/rescue.sh ]]; then
    # shellcheck source=components/features/ending/rescue.sh
    source "$MINICLUSTER_SCRIPTS/rescue.sh"
  fi
}

end_child() {
  [[ -z $mc_ender ]] || return 0
  "$mc_end_by" "$mc_child" &
  mc_ender=$!
}

# SIGKILL, because a forked bash that has not become `sleep` yet loses any other signal.
end_pause() {
  kill -s KILL "$1" 2>/dev/null
}

end_broker() {
  if [[ $mc_restart == never ]] && has_ended; then
    # The broker is already ending, and has cleaned up sooner without a signal.
    return
  elif [[ $mc_restart == always && $MINICLUSTER_MODE == ephemeral ]]; then
    # A broker would wait long for a running job. A follower has no state to lose, and the lead is leaving too.
    stop_tasks
    kill -s KILL "$1" 2>/dev/null
  else
    tell_broker "$1"
  fi
}

# Flux ignores signals while it loads its built-in modules, so the signal is repeated. The broker has no children then.
# During the clean-up and the dump, which a second signal would abort, it has children; a follower needs less than 5 s
# for them. From the quorum on, the lead's broker always has a child and handles the first signal.
tell_broker() {
  local tries heard=''
  for ((tries = 0; ${#heard} == 0; tries++)); do
    if has quorum || has ready; then
      heard=yes
    fi
    if [[ -n $heard ]] || ((tries == 0 || tries > 5)) || ! has_children "$1"; then
      kill -s TERM "$1" 2>/dev/null || return 0
    fi
    # If this sleep outlives the script, it must not keep the pipe of the pod's log open.
    sleep 1 >/dev/null 2>&1
  done
}

# begin ENDER COMMAND...: starts a process that stop() can end, even if the signal comes before the process id is known.
begin() {
  mc_end_by=$1
  shift
  "$@" &
  mc_child=$!
  [[ -z $mc_stopped ]] || end_child
}

# A trapped signal ends `wait` early. bash may have forgotten the process when `wait` is called again: then it returns
# 127.
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
# the signal. A delay has at least three digits.
pause() {
  begin end_pause sleep "0${mc_delay%???}.${mc_delay: -3}"
  await 2>/dev/null
  mc_delay=$((mc_delay * 2 < mc_longest_delay ? mc_delay * 2 : mc_longest_delay))
}

# In a child process: bash 5.2 loses one in a hundred of the signals that arrive while it reads the list of processes.
end_remains() {
  begin true end_processes broker
  await
}

# optional SCRIPT ARGUMENTS...: runs a script that only some clusters have.
optional() {
  local script=$MINICLUSTER_SCRIPTS/$1
  shift
  [[ ! -e $script ]] || bash "$script" "$@"
}

# The results stay what they are: the broker's processes have ended. A copy to a volume goes on when the pod is told to end.
keep_results() {
  local code
  [[ -e $MINICLUSTER_SCRIPTS/results.sh ]] || return 0
  read -r code <"$MINICLUSTER_RUN/ended"
  begin end_results bash "$MINICLUSTER_SCRIPTS/results.sh" "$code"
  if ! await 2>/dev/null; then
    say "the results can't be kept: their script has ended early"
    report results lost
  fi
}

end_results() {
  [[ -n ${MINICLUSTER_RESULTS_PLACE:-} ]] || kill -s TERM "$1" 2>/dev/null
}

# A stopped broker exits with 0 before its quorum, and after it with a code that comes from its initial program. Only
# the exit code of a command that has ended is the Job's.
finish() {
  local code=$1
  ! { [[ $mc_restart == never ]] && has_ended; } || keep_results
  optional archive.sh save
  optional hook-post.sh
  if [[ $mc_restart == never ]] && has_ended; then
    # Not the broker's code: lead.sh kills a broker that has nothing left to do.
    read -r code <"$MINICLUSTER_RUN/ended"
  elif [[ -n $mc_stopped ]]; then
    code=143
  elif was_shut_down "$code"; then
    code=0
  elif [[ $mc_restart == failure ]]; then
    tell_failure
    # The broker also exits with the code of a shutdown if rc1 fails, and with 0 if it gets a signal before its quorum.
    ((code && code != mc_shutdown_code)) || code=1
  elif [[ $mc_restart == never ]]; then
    say "the broker ended with $code before the command had ended"
    ((code)) || code=143
  fi
  repeat_reports
  exit "$code"
}

if [[ $mc_restart == never ]]; then
  # lead.sh removes it to write the exit code of a command that has filled the disk.
  printf '%8192s' '' >"$MINICLUSTER_RUN/reserve"
fi
trap stop ALRM HUP INT QUIT TERM USR1 USR2
if [[ $mc_restart == failure ]]; then
  set -- "${@:1:2}" -Sbroker.exit-norestart="$mc_shutdown_code" -Sbroker.module-nopanic=0 "${@:3}"
fi

while :; do
  # This pod is leaving (leave.sh), and SIGTERM follows: another broker would join for nothing.
  while [[ -z $mc_stopped ]] && has leaving; do
    pause
  done
  [[ -z $mc_stopped ]] || finish 143
  mc_started=$SECONDS
  rm -f "$MINICLUSTER_RUN"/{failure,shutdown}
  MINICLUSTER_BROKER=$MINICLUSTER_RUN/broker begin end_broker "$@"
  note_birth "$mc_child"
  # It tries to connect for as long as a broker may need to open its socket.
  [[ ! -e $MINICLUSTER_SCRIPTS/ask.sh ]] || start_relay 1000
  # bash would print that the broker was killed, in words of its own and also if lead.sh has killed it.
  await 2>/dev/null
  mc_code=$?
  # Flux gives the cores of remaining processes to other jobs. They might also write the files that note_life removes.
  end_remains
  note_life
  note_failure
  if [[ -n $mc_stopped ]] || is_over "$mc_code"; then
    finish "$mc_code"
  fi
  # A follower that can't start ends at once. A follower that lost its lead needs 5 s to notice that, and should be back
  # soon.
  if ((SECONDS - mc_started > 3)); then
    mc_delay=$mc_shortest_delay
  fi
  say "broker ended with $mc_code, restarting it in $mc_delay ms"
  optional metrics.sh count
  pause
done
