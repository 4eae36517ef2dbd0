#!/bin/sh
# Undrains a rank of a persistent cluster that has joined, if leave.sh drained it when its last pod left, or
# `minicluster drain` did before that. A rank that an administrator drained stays drained, even if leave.sh drained it
# first (flux resource drain --force).
# The probe may run in a pod that is leaving, which must not undrain itself.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

rank=$JOB_COMPLETION_INDEX
[ "$rank" != 0 ] && ! has leaving || exit 0

# has_rank IDSET: true if this rank is in an idset such as 1,3-5.
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

# Reads the resource events: true if this rank was drained for one of these reasons, and not undrained since.
was_leaving() {
  ours=
  while read -r _ name context; do
    ids=${context#*idset=\"}
    has_rank "${ids%%\"*}" || continue
    case "$name $context" in
    undrain*) ours= ;;
    "drain "*reason=\"$mc_leaving\"* | "drain "*reason=\"$mc_maintained\"*) ours=yes ;;
    esac
  done
  [ -n "$ours" ]
}

# Reads the drained ranks, each line with the present reason: true if this rank is drained for one of these reasons.
is_leaving() {
  while read -r ranks why; do
    case $why in
    "$mc_leaving" | "$mc_maintained") ! has_rank "$ranks" || return 0 ;;
    esac
  done
  return 1
}

# The event log is cheap to read and mostly sufficient. flux resource is a Python program and takes 0.3 s.
events=$(flux kvs eventlog get resource.eventlog 2>/dev/null) || exit 1
printf '%s\n' "$events" | was_leaving || exit 0
drained=$(flux resource drain --no-header --format='{ranks} {reason}' 2>/dev/null) || exit 1
printf '%s\n' "$drained" | is_leaving || exit 0
# A drain outlives the lead's broker, so the undrain has to outlive it as well.
flux resource undrain "$rank" >/dev/null 2>&1 && flux kvs sync >/dev/null 2>&1
exit 0
