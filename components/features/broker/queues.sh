#!/usr/bin/env bash
# Starts the queues of the configuration, because Flux starts a new queue stopped. A queue of the checkpoint is left
# alone: Flux has restored its state, and an administrator may have stopped it. After an end that wasn't orderly there is
# no checkpoint, although an archive has the jobs. Checked: src/modules/job-manager/{queues,restart}.c
set -uo pipefail

checkpoint=$(flux kvs get checkpoint.job-manager 2>/dev/null)
for name in $MINICLUSTER_QUEUES; do
  [[ $checkpoint == *"\"name\":\"$name\""* ]] || flux queue start --quiet --queue="$name"
done
