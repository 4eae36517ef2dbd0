#!/usr/bin/env bash
# Tells a task how the tasks of its job find each other, and becomes its program: rendezvous.sh PORT|any PROGRAM...
# No user has variables with this prefix. An exported one would reach the program with another value.
set -uo pipefail

mc_fail() {
  printf 'minicluster: the rendezvous of job %s failed: %s\n' "$FLUX_JOB_ID" "$1" >&2
  exit 78
}

# mc_look_up KEY TEXT: sets mc_text to what Flux has under this key of the job, without spaces, when it has TEXT. Flux may answer before the
# lead's shell has written everything. A rank's broker may also miss the change that comes while it makes its copy of the
# job's data: the copy then stays old, and `flux job taskmap` would wait without end. Rank 0 has no copy.
mc_look_up() {
  local said tries
  for ((tries = 1; tries <= 100; tries++)); do
    if ((tries % 10)); then
      said=$(flux job info "$FLUX_JOB_ID" "$1" 2>&1)
    else
      said=$(flux exec --noinput --rank=0 --dir=/ flux job info "$FLUX_JOB_ID" "$1" 2>&1)
    fi
    mc_text=${said//[[:space:]]/}
    [[ $mc_text != *"$2"* ]] || return 0
    sleep 0.2
  done
  mc_fail "flux job info has no $2 in $1 after 20 s: ${said:0:200}"
}

# mc_find RANK: sets mc_host, mc_node and mc_count: the host of this task, the host's number in the job, and the number of
# its tasks. A block "FIRST,NODES,EACH,REPEAT" of the map gives EACH tasks to each of NODES nodes, and that REPEAT times.
mc_find() {
  local block numbers first nodes each repeat next=0
  mc_node=
  for block in ${mc_map//],[/ }; do
    # shellcheck disable=SC2206 # its numbers
    numbers=(${block//,/ })
    first=${numbers[0]} nodes=${numbers[1]} each=${numbers[2]} repeat=${numbers[3]}
    if (($1 >= next && $1 < next + nodes * each * repeat)); then
      mc_node=$((first + ($1 - next) / each % nodes))
    fi
    next=$((next + nodes * each * repeat))
  done
  [[ -n $mc_node ]] || mc_fail "task $1 is not in the map of tasks: $mc_map"
  mc_count=0
  for block in ${mc_map//],[/ }; do
    # shellcheck disable=SC2206
    numbers=(${block//,/ })
    first=${numbers[0]} nodes=${numbers[1]} each=${numbers[2]} repeat=${numbers[3]}
    ((mc_node < first || mc_node >= first + nodes)) || mc_count=$((mc_count + each * repeat))
  done
  mc_name_host "$mc_node"
}

# mc_name_host NUMBER: sets mc_host to the host with this number in a list such as "a-[0-3,8].b,c-9".
mc_name_host() {
  local rest=$mc_hosts item range prefix left=$1
  while [[ -n $rest ]]; do
    item=${rest%%,*}
    [[ $item != *\[* ]] || item=${rest%%]*}]
    rest=${rest#"$item"}
    item+=${rest%%,*}
    rest=${rest#"${rest%%,*}"}
    rest=${rest#,}
    prefix=${item%%\[*}
    mc_host=$item
    if [[ $item != *\[* ]]; then
      ((left-- > 0)) || return 0
      continue
    fi
    range=${item#*\[}
    for range in ${range//,/ }; do
      range=${range%%]*}
      if ((left <= ${range#*-} - ${range%-*})); then
        mc_host=$prefix$((${range%-*} + left))${item#*]}
        return
      fi
      left=$((left - ${range#*-} + ${range%-*} - 1))
    done
  done
  mc_fail "node $1 is not in the list of hosts: $mc_hosts"
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
mc_look_up guest.exec.eventlog '"shell.start"'
mc_map=${mc_text#*'"shell.start"'*'"map":[['}
mc_map=${mc_map%%']]'*}
mc_look_up R '"nodelist"'
mc_hosts=${mc_text#*'"nodelist":["'}
mc_hosts=${mc_hosts%%'"]'*}
mc_hosts=${mc_hosts//\",\"/,}
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
