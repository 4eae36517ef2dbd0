#!/usr/bin/env bash
# Describes the resources of all ranks by those of this one: describe-ranks.sh FILE. Without a quota, which Flux doesn't
# see, it leaves the file out if Flux can gather the resources.
set -euo pipefail

quota=
[[ ! -e $MINICLUSTER_RUN/quota ]] || read -r quota <"$MINICLUSTER_RUN/quota"
if [[ -z $quota && -z ${MINICLUSTER_DETECT_GPUS:-} ]]; then
  [[ $MINICLUSTER_GATHERS == true ]] || flux R encode --hosts="$MINICLUSTER_DETECT_HOSTS" --local >"$1"
  exit
fi
short=$(flux R encode --local | flux R decode --short)
[[ $short =~ core(\[([0-9,-]+)\]|([0-9]+)) ]]
cores=${BASH_REMATCH[2]}${BASH_REMATCH[3]}
if [[ -n $quota ]]; then
  count=0
  for range in ${cores//,/ }; do
    count=$((count + ${range#*-} - ${range%-*} + 1))
  done
  if ((quota < 2000)); then
    cores=0
  elif ((quota < count * 1000)); then
    cores=0-$((quota / 1000 - 1))
  elif [[ $MINICLUSTER_GATHERS == true ]]; then
    exit 0
  fi
fi
# hwloc may not know the GPUs of the limits, and Flux takes no GPUs together with --local.
flux R encode --hosts="$MINICLUSTER_DETECT_HOSTS" --cores="$cores" \
  ${MINICLUSTER_DETECT_GPUS:+--gpus="$MINICLUSTER_DETECT_GPUS"} >"$1"
