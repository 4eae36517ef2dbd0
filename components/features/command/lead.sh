#!/usr/bin/env bash
# The initial program: Flux starts it on rank 0 at quorum. In an ephemeral cluster it runs the command, whose exit code
# is the Job's. In a persistent cluster it becomes stay.sh.
set -uo pipefail

# shellcheck source=components/features/broker/options.sh
source "$MINICLUSTER_SCRIPTS/options.sh"
# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"
# It sets mc_follow.
# shellcheck source=/dev/null
[[ ! -e $MINICLUSTER_SCRIPTS/attempts.sh ]] || source "$MINICLUSTER_SCRIPTS/attempts.sh"

# Prints the seconds since 1970, with a fraction if possible: bash before 5.0 has no EPOCHREALTIME, and busybox's date
# may print %N unchanged. The decimal separator is a dot in every language.
moment() {
  local now=${EPOCHREALTIME:-}
  [[ -n $now ]] || now=$(date +%s.%N)
  now=${now/,/.}
  [[ $now =~ ^[0-9]+\.[0-9]+$ ]] || now=${now%%[!0-9]*}
  printf '%s\n' "$now"
}

record() {
  report "$1" "$(moment)"
}

# Until now, the level was high enough to log why a rank can't join (start.sh).
be_as_quiet_as_asked() {
  ((MINICLUSTER_LOG_LEVEL >= 3)) || flux setattr log-stderr-level "$MINICLUSTER_LOG_LEVEL"
}

# A launcher may submit jobs without the commands of Flux, and copy its own environment into them. So variables that
# differ between ranks are removed. Secrets stay, because the launcher may need them.
launch() {
  {
    (
      run=$MINICLUSTER_RUN
      unset HOSTNAME JOB_COMPLETION_INDEX "${!MINICLUSTER_@}"
      export MINICLUSTER_PROGRESS=$run/progress/launcher PATH=$PATH:$run/bin
      unset run
      exec "$@" 2>&5 5>&-
    )
  } 5>&2 2>/dev/null
}

# Prints in the log what the command tells of its progress.
begin_progress() {
  local folder=$MINICLUSTER_RUN/progress
  mkfifo "$folder/lead" 2>/dev/null || return 0
  bash "$MINICLUSTER_SCRIPTS/progress.sh" take "$folder/lead" "$folder/last" &
  mc_progress=$!
  [[ $MINICLUSTER_LAUNCHER != true ]] ||
    bash "$MINICLUSTER_SCRIPTS/progress.sh" watch "$folder/launcher" "$$" </dev/null &>/dev/null &
}

# The last progress may be newer than the last line about it. The folder has the pipe, and no more without progress.
end_progress() {
  local line files=("$MINICLUSTER_RUN"/progress/*)
  [[ -z $mc_progress ]] || kill "$mc_progress" 2>/dev/null
  ((${#files[@]} > 1)) && line=$(bash "$MINICLUSTER_SCRIPTS/progress.sh" end "$MINICLUSTER_RUN/progress") || return 0
  say "progress $line"
  report progress "$line"
}

# Prints the number of ranks that are up, but no fewer than the quorum: Flux may list a rank some time after it has joined.
# A command for more ranks than are up waits for them.
ranks_to_use() {
  local up
  up=$(flux resource list --states=up --no-header --format='{nnodes}') || return
  printf '%d\n' "$((up > MINICLUSTER_QUORUM ? up : MINICLUSTER_QUORUM))"
}

run_options() {
  local nodes=${MINICLUSTER_NODES:-} tasks
  [[ -n $nodes ]] || nodes=$(ranks_to_use) || return
  tasks=${MINICLUSTER_TASKS:-$nodes}
  # Flux refuses more nodes than tasks.
  mc_options=(-N "$((tasks < nodes ? tasks : nodes))" -n "$tasks")
  [[ -z ${MINICLUSTER_TASKS_PER_NODE:-} ]] || mc_options=(-N "$nodes" --tasks-per-node="$MINICLUSTER_TASKS_PER_NODE")
  mc_options+=(--job-name="${1##*/}")
  [[ -z $mc_output ]] || mc_options+=(-o minicluster)
  [[ -z ${MINICLUSTER_CORES_PER_TASK:-} ]] || mc_options+=(-c "$MINICLUSTER_CORES_PER_TASK")
  if [[ -n ${MINICLUSTER_GPUS_PER_TASK:-} ]]; then
    mc_options+=(-g "$MINICLUSTER_GPUS_PER_TASK")
  elif [[ -n ${MINICLUSTER_GPUS:-} ]]; then
    # shellcheck source=components/features/resources/share-gpus.sh
    source "$MINICLUSTER_SCRIPTS/share-gpus.sh"
  fi
  add_options "" "${MINICLUSTER_RUN_OPTIONS:-}"
}

main() {
  # Flux replaces {{NAME}} in the words of a job, so each { gets a mark, which task.sh removes.
  # No user has variables of these names. An exported one would reach the command with another value.
  local mc_options mc_broker mc_code mc_progress='' mc_marked=$'{\001'
  # Only for this broker, not for brokers that a job may start.
  unset FLUX_FAKE_HOSTNAME FLUX_HWLOC_XMLFILE
  if [[ -n ${MINICLUSTER_SCHEDULER:-} ]]; then
    unset FLUX_SCHED_MODULE FLUXION_RESOURCE_RC_NOOP FLUXION_QMANAGER_RC_NOOP
    bash "$MINICLUSTER_SCRIPTS/scheduler.sh" load || exit
  fi
  [[ -z ${MINICLUSTER_QUEUES:-} ]] || bash "$MINICLUSTER_SCRIPTS/queues.sh"
  record quorum
  be_as_quiet_as_asked
  if [[ $MINICLUSTER_MODE == persistent ]]; then
    exec bash "$MINICLUSTER_SCRIPTS/stay.sh"
  fi
  mark ready
  begin_progress
  if [[ $MINICLUSTER_LAUNCHER == true ]]; then
    record started
    launch "$@"
  else
    # shellcheck source=components/features/command/output.sh
    source "$MINICLUSTER_SCRIPTS/output.sh"
    open_output
    run_options "$@" || exit
    [[ -z ${MINICLUSTER_RENDEZVOUS:-} ]] ||
      set -- bash "$MINICLUSTER_SCRIPTS/rendezvous.sh" "$MINICLUSTER_RENDEZVOUS" "$@"
    record started
    "${mc_follow:-follow}" run "${mc_options[@]}" -- bash "$MINICLUSTER_SCRIPTS/task.sh" "${@//\{/$mc_marked}"
  fi
  mc_code=$?
  # The command has ended, and its exit code counts even if the broker is stopped now.
  trap '' HUP INT TERM
  record ended
  end_progress
  # In place, because a task may have filled the disk and may still write.
  printf '%d\n' "$mc_code" 1<>"$MINICLUSTER_RUN/reserve" && mv -f "$MINICLUSTER_RUN/reserve" "$MINICLUSTER_RUN/ended"
  # The other ranks have no word of the end.
  [[ ! -e $MINICLUSTER_SCRIPTS/results-ranks.sh ]] || bash "$MINICLUSTER_SCRIPTS/results-ranks.sh" "$mc_code"
  # The broker's own end takes a second, because each step of it is a Python program. It is needed while a job is active,
  # and for scripts of the user, whose folder a hook or the image may name.
  if [[ -n ${MINICLUSTER_QUICK_END:-} && -z ${FLUX_RC_EXTRA:-} && -s $MINICLUSTER_RUN/ended ]] &&
    [[ $(flux module stats --parse active_jobs job-manager 2>/dev/null) == 0 ]] &&
    mc_broker=$(flux getattr broker.pid); then
    # shellcheck source=components/features/broker/processes.sh
    source "$MINICLUSTER_SCRIPTS/processes.sh"
    kill_broker "$mc_broker"
  fi
  return "$mc_code"
}

main "$@"
