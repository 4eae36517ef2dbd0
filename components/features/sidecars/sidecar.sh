#!/bin/sh
# Runs a sidecar of rank 0 only. The followers' pods have the same template, so their sidecar waits until it is stopped.
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  exec "$@"
fi
trap 'exit 0' TERM INT
while :; do
  sleep 86400 &
  wait "$!"
done
