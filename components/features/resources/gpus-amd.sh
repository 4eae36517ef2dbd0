#!/usr/bin/env bash
# task.sh sources this file. ROCR_VISIBLE_DEVICES works for all programs of ROCm, CUDA_VISIBLE_DEVICES only for those of
# HIP, which would count its numbers among the devices that are left.
if [[ -n ${CUDA_VISIBLE_DEVICES:-} ]]; then
  export ROCR_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES
  [[ $CUDA_VISIBLE_DEVICES == -1 ]] || unset CUDA_VISIBLE_DEVICES
fi
