#!/bin/sh
# The container that sizes the cluster. It works on the lead only. The followers' pods have the same template, so their
# container waits until it is stopped.
trap 'exit 0' TERM INT

# pause SECONDS: a signal ends it at once.
pause() {
  sleep "$1" &
  wait "$!"
}

while [ "$JOB_COMPLETION_INDEX" != 0 ]; do
  pause 86400
done

# The broker's container writes this file before it starts the broker.
until [ -e "$MINICLUSTER_RUN/paths.env" ]; do
  pause 0.5
done
# shellcheck source=/dev/null
. "$MINICLUSTER_RUN/paths.env"
exec flux python -B "$MINICLUSTER_SCRIPTS/elastic.py"
