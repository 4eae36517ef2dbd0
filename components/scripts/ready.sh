#!/bin/sh
# Startup probe: rank 0 is ready when its initial program runs, which is at quorum; a follower when it has joined and
# loaded its modules. (flux uptime would tell, but it crashes for users without a passwd entry.)
# It waits here, for less than kubelet gives it. What costs is the start of a process in a container: one a second for each of
# many pods would take whole cores away from the brokers that they ask about.
[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"
index=$JOB_COMPLETION_INDEX

is_ready() {
  if [ "$index" = 0 ]; then
    [ -e "$MINICLUSTER_RUN/ready" ]
  else
    timeout 5 flux ping --count=1 --rank="$index" job-ingest >/dev/null 2>&1
  fi
}

end=$(($(date +%s) + 30))
until is_ready; do
  [ "$(date +%s)" -lt "$end" ] || exit 1
  sleep 0.4
done

[ ! -e "$MINICLUSTER_SCRIPTS/rejoin.sh" ] || exec sh "$MINICLUSTER_SCRIPTS/rejoin.sh"
