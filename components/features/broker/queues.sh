#!/usr/bin/env bash
# Starts the queues of the configuration, because Flux starts a new queue stopped. A queue that was started once is left
# alone: an administrator may have stopped it.
set -uo pipefail

for name in $MINICLUSTER_QUEUES; do
  flux kvs get "minicluster.queues.$name" >/dev/null 2>&1 && continue
  flux queue start --quiet --queue="$name" && flux kvs put "minicluster.queues.$name=true"
done
