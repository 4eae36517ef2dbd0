#!/usr/bin/env bash
# Names without DNS: hosts.py keeps them in the hosts file from now on, and says when those of a quorum are in it.
set -euo pipefail

exec {names}< <(exec flux python "$MINICLUSTER_SCRIPTS/hosts.py")
if ! read -r -u "$names"; then
  printf 'error=the addresses of the ranks can not be had; see the log of this pod\n' >>"$MINICLUSTER_TERMINATION_LOG"
  exit 78
fi
