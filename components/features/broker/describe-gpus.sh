#!/usr/bin/env bash
# Adds the GPUs of the limits to the resources of all ranks: describe-gpus.sh FILE. hwloc may not know them, and Flux takes
# no GPUs together with --local.
set -euo pipefail

short=$(flux R decode --include=0 --short <"$1")
[[ $short =~ core(\[([0-9,-]+)\]|([0-9]+)) ]]
cores=${BASH_REMATCH[2]}${BASH_REMATCH[3]}
flux R encode --hosts="$MINICLUSTER_DETECT_HOSTS" --cores="$cores" --gpus="$MINICLUSTER_DETECT_GPUS" >"$1"
