#!/bin/sh
# lead-program.sh NAME: the container of a program that works beside the lead's broker only. The followers' pods have the
# same template, so their container waits until it is stopped.
trap 'exit 0' TERM INT

# pause SECONDS: a signal ends it at once.
pause() {
  sleep "$1" &
  wait "$!"
}

while [ "$JOB_COMPLETION_INDEX" != 0 ]; do
  pause 86400
done

# Not paths.env, as in the other scripts: jobs can write to its folder, and no code of a job may run beside the token.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"
add_view
# Without a copy of the report: that file is of the broker's container.
command -v flux >/dev/null 2>&1 ||
  MINICLUSTER_RUN='' fail 78 "$1: there is no flux on PATH ($PATH); hooks don't run in this container, so set PATH in environment"

# The start of the broker needs the processor more.
until has quorum; do
  pause 0.5
done
exec flux python -B "$MINICLUSTER_SCRIPTS/$1.py"
