#!/bin/sh
# Startup probe. A rank is ready when a script has left the mark: on rank 0, when its initial program runs, which starts at
# quorum. A follower is also ready when it has joined and loaded its modules. (flux uptime would show that, but it crashes
# for users without a passwd entry.)
# The probe waits in a loop, for less than its timeout, because starting a process in a container is expensive. A start
# per second in each of many pods would take whole cores from the brokers.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

index=$JOB_COMPLETION_INDEX

has_joined() {
  # Each time, because start.sh may not have saved the paths yet.
  use_flux
  timeout 5 flux ping --count=1 --rank="$index" job-ingest >/dev/null 2>&1
}

end=$(($(date +%s) + 30))
until has ready || { [ "$index" != 0 ] && has_joined; }; do
  [ "$(date +%s)" -lt "$end" ] || exit 1
  sleep 0.4
done

# On rank 0, lead.sh sets the level.
! has ready || exit 0
[ "$MINICLUSTER_LOG_LEVEL" -ge 3 ] || flux setattr log-stderr-level "$MINICLUSTER_LOG_LEVEL"

[ ! -e "$MINICLUSTER_SCRIPTS/undrain.sh" ] || exec sh "$MINICLUSTER_SCRIPTS/undrain.sh"
