#!/usr/bin/env bash
# task.sh sources this file. CUDA takes instances of MIG by their names only, and a process uses the first of them, so each
# task of a node begins with another one.
if [[ ${CUDA_VISIBLE_DEVICES:--1} != -1 ]]; then
  minicluster_names=()
  minicluster_uuid='\(UUID: (MIG-[^)]*)\)'
  while read -r minicluster_name; do
    [[ ! $minicluster_name =~ $minicluster_uuid ]] || minicluster_names+=("${BASH_REMATCH[1]}")
  done < <(nvidia-smi -L 2>/dev/null)
  minicluster_mine=()
  for minicluster_name in ${CUDA_VISIBLE_DEVICES//,/ }; do
    [[ -z ${minicluster_names[minicluster_name]:-} ]] || minicluster_mine+=("${minicluster_names[minicluster_name]}")
  done
  minicluster_count=${#minicluster_mine[@]}
  if ((minicluster_count)); then
    CUDA_VISIBLE_DEVICES=
    for ((minicluster_index = 0; minicluster_index < minicluster_count; minicluster_index++)); do
      minicluster_name=${minicluster_mine[(FLUX_TASK_LOCAL_ID + minicluster_index) % minicluster_count]}
      CUDA_VISIBLE_DEVICES+=${CUDA_VISIBLE_DEVICES:+,}$minicluster_name
    done
  fi
fi
