#!/usr/bin/env bash
# task.sh sources this file. Level Zero has no value of ZE_AFFINITY_MASK that hides all GPUs.
if [[ ${CUDA_VISIBLE_DEVICES:--1} != -1 ]]; then
  export ZE_AFFINITY_MASK=$CUDA_VISIBLE_DEVICES
fi
