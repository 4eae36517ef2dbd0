#!/bin/sh
# A rank of a cluster that stays has joined. If it was here before, leave.sh drained it when it went; asking the event log
# first is cheap, undrain is not. One that is on its way out may still have been asked.
rank=$JOB_COMPLETION_INDEX
[ "$rank" != 0 ] && [ ! -e "$MINICLUSTER_RUN/leaving" ] || exit 0

events=$(flux kvs eventlog get resource.eventlog 2>/dev/null) || exit 1
case $events in
*" drain idset=\"$rank\" "*"the pod is leaving"*)
  # Drains outlive rank 0's broker, and so this has to.
  flux resource undrain "$rank" >/dev/null 2>&1 && flux kvs sync >/dev/null 2>&1
  ;;
esac
exit 0
