#!/usr/bin/env bash
# task.sh sources this file. Flux counts cores from 0, but the device plugin may give the pod other numbers, such as 4-7.
if [[ ${CUDA_VISIBLE_DEVICES:--1} != -1 ]]; then
  minicluster_cores=()
  for minicluster_range in ${NEURON_RT_VISIBLE_CORES//,/ }; do
    for ((minicluster_core = ${minicluster_range%-*}; minicluster_core <= ${minicluster_range#*-}; minicluster_core++)); do
      minicluster_cores+=("$minicluster_core")
    done
  done
  minicluster_mine=
  for minicluster_core in ${CUDA_VISIBLE_DEVICES//,/ }; do
    minicluster_mine+=,${minicluster_cores[minicluster_core]:-$minicluster_core}
  done
  export NEURON_RT_VISIBLE_CORES=${minicluster_mine#,}
fi
