#!/usr/bin/env bash
# Names without DNS: hosts.py keeps them in the hosts file from now on, and prints a line when it has those of a quorum.
set -euo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# Waits for the end of hosts.py, and restarts it: without it, the broker would lose each rank whose recreated pod has
# another address. The pauses become longer, so that a permanent failure doesn't take the CPU that the broker needs.
keep() {
  local pause=1 started
  cat >/dev/null
  while :; do
    say "hosts.py has ended, and is restarted in $pause s; until then no new address is known here"
    sleep "$pause"
    started=$SECONDS
    flux python "$MINICLUSTER_SCRIPTS/hosts.py" >/dev/null || :
    if ((SECONDS - started > 60)); then
      pause=1
    else
      pause=$((pause * 2 < 30 ? pause * 2 : 30))
    fi
  done
}

exec {names}< <(exec flux python "$MINICLUSTER_SCRIPTS/hosts.py")
if ! read -r -u "$names"; then
  said=$(flux python -c '' 2>&1 | tail -n 1) || :
  fail 78 "the addresses of the ranks are unknown: ${said:-hosts.py has failed, see the log of this pod}"
fi
keep <&"$names" &
