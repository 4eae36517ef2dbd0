#!/bin/sh
# Startup probe: rank 0 is ready when its initial program runs, which is at quorum; a follower when it has joined and
# loaded its modules. (flux uptime would tell, but it crashes for users without a passwd entry.)
# It waits here, for less than kubelet gives it. What costs is the start of a process in a container: one a second for each of
# many pods would take whole cores away from the brokers that they ask about.
index=$JOB_COMPLETION_INDEX

is_ready() {
  if [ "$index" = 0 ]; then
    [ -e "$MINICLUSTER_RUN/ready" ]
  else
    # start.sh may not have come that far yet.
    # shellcheck source=/dev/null
    [ ! -e "$MINICLUSTER_RUN/paths.env" ] || . "$MINICLUSTER_RUN/paths.env"
    timeout 5 flux ping --count=1 --rank="$index" job-ingest >/dev/null 2>&1
  fi
}

end=$(($(date +%s) + 30))
until is_ready; do
  [ "$(date +%s)" -lt "$end" ] || exit 1
  sleep 0.4
done

# lead.sh does it on rank 0.
[ "$index" = 0 ] || [ "$MINICLUSTER_LOG_LEVEL" -ge 3 ] || flux setattr log-stderr-level "$MINICLUSTER_LOG_LEVEL"

[ ! -e "$MINICLUSTER_SCRIPTS/rejoin.sh" ] || exec sh "$MINICLUSTER_SCRIPTS/rejoin.sh"
