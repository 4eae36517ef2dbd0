#!/bin/sh
# Startup probe: rank 0 is ready when its initial program runs, which is at quorum; a follower when it has joined and
# loaded its modules. (flux uptime would tell, but it crashes for users without a passwd entry.)
# It waits here, as long as kubelet lets it. What costs is the start of a process in a container: one a second for each of
# many pods would take whole cores away from the brokers that they ask about.
[ -z "${MINICLUSTER_VIEW:-}" ] || export PATH="$PATH:$MINICLUSTER_VIEW/bin"
index=$JOB_COMPLETION_INDEX

is_ready() {
  if [ "$index" = 0 ]; then
    [ -e "$MINICLUSTER_RUN/ready" ]
  else
    flux ping --count=1 --rank="$index" job-ingest >/dev/null 2>&1
  fi
}

looks=50
until is_ready; do
  looks=$((looks - 1))
  [ "$looks" -gt 0 ] || exit 1
  sleep 0.4
done

# A rank that comes back was drained by leave.sh when it went; asking the event log first is cheap, undrain is not.
[ "$index" != 0 ] && [ "$MINICLUSTER_MODE" = persistent ] || exit 0
case $(flux kvs eventlog get resource.eventlog 2>/dev/null) in
*" drain idset=\"$index\" "*"the pod is leaving"*) flux resource undrain "$index" >/dev/null 2>&1 || : ;;
esac
