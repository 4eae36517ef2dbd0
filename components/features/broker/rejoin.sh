#!/bin/sh
# A rank of a persistent cluster has joined. If leave.sh drained it when its last pod went, it is undrained. A rank that an
# administrator drained stays drained, also if that came after ours and only changed the reason (flux resource drain --force).
# A pod that is about to leave may still be asked, and must not undrain itself.
rank=$JOB_COMPLETION_INDEX
[ "$rank" != 0 ] && [ ! -e "$MINICLUSTER_RUN/leaving" ] || exit 0

readonly reason="the pod is leaving"

# has_rank IDSET: such as 1,3-5.
has_rank() {
  rest=${1#[}
  rest=${rest%]}
  case $rest in
  '' | *[!0-9,-]*) return 1 ;;
  esac
  rest=$rest,
  while [ -n "$rest" ]; do
    part=${rest%%,*}
    rest=${rest#*,}
    if [ "${part%-*}" -le "$rank" ] && [ "$rank" -le "${part#*-}" ]; then
      return 0
    fi
  done
  return 1
}

# Reads the events of the resources: did leave.sh drain this rank, and nobody undrain it since?
was_leaving() {
  ours=
  while read -r _ name context; do
    ids=${context#*idset=\"}
    has_rank "${ids%%\"*}" || continue
    case "$name $context" in
    undrain*) ours= ;;
    "drain "*reason=\"$reason\"*) ours=yes ;;
    esac
  done
  [ -n "$ours" ]
}

# Reads drained ranks, each line with the reason of today.
is_leaving() {
  while read -r ranks why; do
    if [ "$why" = "$reason" ] && has_rank "$ranks"; then
      return 0
    fi
  done
  return 1
}

# The log is cheap to ask, and mostly enough; flux resource is Python and takes 0.3 s.
events=$(flux kvs eventlog get resource.eventlog 2>/dev/null) || exit 1
printf '%s\n' "$events" | was_leaving || exit 0
drained=$(flux resource drain --no-header --format='{ranks} {reason}' 2>/dev/null) || exit 1
printf '%s\n' "$drained" | is_leaving || exit 0
# Drains outlive the lead's broker, and so this has to.
flux resource undrain "$rank" >/dev/null 2>&1 && flux kvs sync >/dev/null 2>&1
exit 0
