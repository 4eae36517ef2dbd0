#!/usr/bin/env bash
# Tells a task how the tasks of its job find each other, and becomes its program: rendezvous.sh PORT|any PROGRAM...
# No user has variables with this prefix. An exported one would reach the program with another value.
set -uo pipefail

mc_fail() {
  printf 'minicluster: the rendezvous of job %s failed: %s\n' "$FLUX_JOB_ID" "$1" >&2
  exit 78
}

# mc_find RANK: sets mc_host, mc_node and mc_count: the host of this task, the host's number in the job, and the number of
# its tasks. A line of the map is "HOST: 0-3,8".
mc_find() {
  local found ids line range rest=$mc_map
  mc_node=0
  while [[ -n $rest ]]; do
    line=${rest%%$'\n'*} found=
    rest=${rest#"$line"} ids=${line##*: }
    rest=${rest#$'\n'} mc_host=${line%: *} mc_count=0
    for range in ${ids//,/ }; do
      mc_count=$((mc_count + ${range#*-} - ${range%-*} + 1))
      (($1 < ${range%-*} || $1 > ${range#*-})) || found=yes
    done
    [[ -z $found ]] || return 0
    mc_node=$((mc_node + 1))
  done
  mc_fail "task $1 is not in the map of tasks: $mc_map"
}

# A port that is the same for all tasks of this job, and another one for most other jobs.
mc_any_port() {
  local id=${FLUX_JOB_ID//[!0-9A-Za-z]/} code hash=0 index
  for ((index = 0; index < ${#id}; index++)); do
    printf -v code %d "'${id:index:1}"
    hash=$(((hash * 31 + code) % 10000))
  done
  mc_port=$((20000 + hash))
}

mc_is_taken() {
  (: <"/dev/tcp/127.0.0.1/$mc_port") 2>/dev/null
}

mc_port=$1
shift
[[ $mc_port != any ]] || mc_any_port
mc_map=$(flux job taskmap --to=hosts "$FLUX_JOB_ID") || mc_fail "flux job taskmap ended with exit code $?"
mc_find 0
export MASTER_ADDR=$mc_host MASTER_PORT=$mc_port
mc_find "$FLUX_TASK_RANK"
export RANK=$FLUX_TASK_RANK LOCAL_RANK=$FLUX_TASK_LOCAL_ID NODE_RANK=$mc_node
export WORLD_SIZE=$FLUX_JOB_SIZE LOCAL_WORLD_SIZE=$mc_count
# For torchrun, each task is a node of its own, which starts the processes.
export PET_MASTER_ADDR=$MASTER_ADDR PET_MASTER_PORT=$MASTER_PORT PET_NNODES=$FLUX_JOB_SIZE PET_NODE_RANK=$FLUX_TASK_RANK
mc_gpus=${ROCR_VISIBLE_DEVICES:-${CUDA_VISIBLE_DEVICES:--1}}
if [[ $mc_gpus != -1 ]]; then
  mc_gpus=${mc_gpus//[!,]/}
  export PET_NPROC_PER_NODE=$((${#mc_gpus} + 1))
fi
if [[ $FLUX_TASK_RANK == 0 ]] && mc_is_taken; then
  mc_fail "port $mc_port of $mc_host is taken. Give another rendezvous.port"
fi
exec "$@"
