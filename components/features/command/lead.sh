#!/usr/bin/env bash
# The initial program: Flux starts it on rank 0 when the quorum is there. With a command, its exit code is the Job's;
# without one stay.sh keeps the cluster up.
set -uo pipefail

# shellcheck source=provider/contract/cpus.sh
source "$MINICLUSTER_SCRIPTS/cpus.sh"

# Seconds since 1970, with a fraction if that is to be had: bash before 5.0 doesn't know them, and date of busybox may give
# back what it doesn't understand. With a dot in every language.
moment() {
  local now=${EPOCHREALTIME:-}
  [[ -n $now ]] || now=$(date +%s.%N)
  now=${now/,/.}
  [[ $now =~ ^[0-9]+\.[0-9]+$ ]] || now=${now%%[!0-9]*}
  printf '%s\n' "$now"
}

# Read by JobStatus from the pod's termination message.
record() {
  printf '%s=%s\n' "$1" "$(moment)" >>"$MINICLUSTER_TERMINATION_LOG"
}

# start.sh lets every broker tell why it can't join.
be_as_quiet_as_asked() {
  ((MINICLUSTER_LOG_LEVEL >= 3)) || flux setattr log-stderr-level "$MINICLUSTER_LOG_LEVEL"
}

# Flux copies the launcher's environment into the jobs that it submits, and there what tells one rank from another would be
# wrong. Its secrets stay: it may need them itself.
launch() (
  unset HOSTNAME JOB_COMPLETION_INDEX "${!MINICLUSTER_@}"
  exec "$@"
)

run_options() {
  local nodes=${MINICLUSTER_NODES:-} tasks=${MINICLUSTER_TASKS:-}
  [[ -n $nodes ]] || nodes=$(flux resource list --states=up --no-header --format='{nnodes}')
  [[ -n $tasks ]] || tasks=$nodes
  # Fewer tasks than nodes: Flux refuses more nodes than tasks.
  mc_options=(-N "$((tasks < nodes ? tasks : nodes))" -n "$tasks" --job-name="${1##*/}")
  [[ -z ${MINICLUSTER_CORES_PER_TASK:-} ]] || mc_options+=(-c "$MINICLUSTER_CORES_PER_TASK")
  [[ -z ${MINICLUSTER_GPUS_PER_TASK:-} ]] || mc_options+=(-g "$MINICLUSTER_GPUS_PER_TASK")
  owns_cpus || mc_options+=(-o cpu-affinity=off)
  local name
  for name in 'MINICLUSTER_*' $MINICLUSTER_RANK_ENVIRONMENT; do
    mc_options+=(--env-remove="$name")
  done
}

main() {
  # Flux replaces {{NAME}} in the words of a job; task.sh takes the mark out again.
  # These names are no user's: where one is exported, a value that is given here reaches the command.
  local mc_options mc_code mc_marked=$'{\001'
  # Of this broker alone, not of those that a job may start.
  unset FLUX_FAKE_HOSTNAME
  record quorum
  be_as_quiet_as_asked
  if [[ $MINICLUSTER_MODE == persistent ]]; then
    exec bash "$MINICLUSTER_SCRIPTS/stay.sh"
  fi
  : >"$MINICLUSTER_RUN/ready"
  if [[ $MINICLUSTER_LAUNCHER == true ]]; then
    record started
    launch "$@"
  else
    set -f
    run_options "$@"
    set +f
    record started
    flux run "${mc_options[@]}" -- bash "$MINICLUSTER_SCRIPTS/task.sh" "$MINICLUSTER_RUN/rank.env" "${@//\{/$mc_marked}"
  fi
  mc_code=$?
  # Whoever stops the broker now, the end is the command's.
  trap '' HUP INT TERM
  record ended
  : >"$MINICLUSTER_RUN/ended"
  return "$mc_code"
}

main "$@"
