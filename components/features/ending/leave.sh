#!/bin/sh
# preStop hook: leave.sh [COMMAND...]. The words are the user's own hook, which follows.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

# supervise.sh, attempts.sh and elastic.py start nothing in this pod any more.
mark leaving
if [ $# = 0 ]; then
  use_flux
  exec bash "$MINICLUSTER_SCRIPTS/rescue.sh"
fi
(use_flux && exec bash "$MINICLUSTER_SCRIPTS/rescue.sh") || :
exec "$@"
