#!/bin/sh
# Runs a sidecar of rank 0 only. The followers' pods have the same template, so their sidecar waits until it is stopped.
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  exec "$@"
fi
# Without it, the loop would take a whole core.
command -v sleep >/dev/null 2>&1 || {
  echo "minicluster: the image of this sidecar has no sleep, which leadOnly needs; add it to the image" >&2
  exit 78
}
trap 'exit 0' TERM INT
while :; do
  sleep 86400 &
  wait "$!"
done
