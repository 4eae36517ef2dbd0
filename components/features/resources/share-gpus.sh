#!/usr/bin/env bash
# lead.sh sources this file to add the options for the GPUs of its tasks on its nodes. Flux hides the GPUs for which a job
# doesn't ask, so the tasks of a rank divide its GPUs. If that isn't possible, each of them sees all.

# sched-simple knows GPUs from 0.84 on.
schedules_gpus() {
  [[ $(version_rank "$(flux_version)") -ge $(version_rank 0.84) || $(flux module list) != *sched-simple* ]]
}

# With --tasks-per-node and --exclusive, a job gets all GPUs of its nodes.
gets_whole_nodes() {
  [[ -n ${MINICLUSTER_TASKS_PER_NODE:-} || $'\n'${MINICLUSTER_RUN_OPTIONS:-}$'\n' == *$'\n--exclusive\n'* ]]
}

share_gpus() {
  if gets_whole_nodes && schedules_gpus; then
    return
  fi
  local mc_each mc_many mc_why="it has fewer GPUs than tasks"
  # shellcheck disable=SC2154 # lead.sh sets them
  mc_many=$(((tasks + nodes - 1) / nodes))
  mc_each=$((MINICLUSTER_GPUS / mc_many))
  if ((MINICLUSTER_GPUS == 0)); then
    mc_why="broker.config may not describe them"
  elif ! schedules_gpus; then
    mc_each=0 mc_why="this scheduler doesn't know GPUs"
  fi
  if ((mc_each)); then
    mc_options+=(-g "$mc_each")
    return
  fi
  mc_options+=(-o gpu-affinity=off)
  ((mc_many == 1)) || say "all tasks of a rank share its GPUs: $mc_why; see gpusPerTask"
}

share_gpus
