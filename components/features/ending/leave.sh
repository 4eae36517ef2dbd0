#!/bin/sh
# preStop hook: leave.sh [COMMAND...]. The words are the user's own hook, which follows.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

# supervise.sh, attempts.sh and elastic.py start nothing in this pod any more.
mark leaving
# All in one process: a job may have taken all others of the pod.
exec bash "$MINICLUSTER_SCRIPTS/rescue.sh" "$@"
