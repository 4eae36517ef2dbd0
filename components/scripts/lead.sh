#!/usr/bin/env bash
# The initial program: Flux starts it on rank 0 when the quorum is there. With a command, its exit code is the Job's;
# without one stay.sh keeps the cluster up.
set -uo pipefail

# Read by JobStatus from the pod's termination message.
record() {
  printf '%s=%s\n' "$1" "$EPOCHREALTIME" >>"$MINICLUSTER_TERMINATION_LOG"
}

# Binding to cores is right only where no other pod may use them: the node is ours, or the kubelet gave us a CPU set.
owns_cpus() {
  local online allowed
  [[ $MINICLUSTER_EXCLUSIVE == true ]] && return
  # nproc would count the threads of OpenMP.
  allowed=$(unset OMP_NUM_THREADS OMP_THREAD_LIMIT && nproc)
  online=$(nproc --all)
  ((allowed < online))
}

run_options() {
  local nodes=${MINICLUSTER_NODES:-} tasks=${MINICLUSTER_TASKS:-}
  [[ -n $nodes ]] || nodes=$(flux resource list --states=up --no-header --format='{nnodes}')
  [[ -n $tasks ]] || tasks=$nodes
  # Fewer tasks than nodes: Flux refuses more nodes than tasks.
  options=(-N "$((tasks < nodes ? tasks : nodes))" -n "$tasks" --job-name="${1##*/}")
  [[ -z ${MINICLUSTER_CORES_PER_TASK:-} ]] || options+=(-c "$MINICLUSTER_CORES_PER_TASK")
  [[ -z ${MINICLUSTER_GPUS_PER_TASK:-} ]] || options+=(-g "$MINICLUSTER_GPUS_PER_TASK")
  owns_cpus || options+=(-o cpu-affinity=off)
  local name
  for name in 'MINICLUSTER_*' $MINICLUSTER_RANK_ENVIRONMENT; do
    options+=(--env-remove="$name")
  done
}

main() {
  # Flux replaces {{NAME}} in the words of a job; task.sh takes the mark out again.
  local options code marked=$'{\001'
  record quorum
  if [[ $MINICLUSTER_MODE == persistent ]]; then
    exec bash "$MINICLUSTER_SCRIPTS/stay.sh"
  fi
  : >"$MINICLUSTER_RUN/ready"
  if [[ $MINICLUSTER_LAUNCHER == true ]]; then
    record started
    "$@"
  else
    set -f
    run_options "$@"
    set +f
    record started
    flux run "${options[@]}" -- bash "$MINICLUSTER_SCRIPTS/task.sh" "$MINICLUSTER_RUN/rank.env" "${@//\{/$marked}"
  fi
  code=$?
  record ended
  : >"$MINICLUSTER_RUN/ended"
  return "$code"
}

main "$@"
