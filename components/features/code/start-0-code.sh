#!/usr/bin/env bash
# Checks and unpacks the code, so that each start of a rank has the same files. It runs after the init hook, which may
# add the programs that it needs.
set -euo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# As in the archive: files that all users may read.
umask 022

archive() {
  cat "$MINICLUSTER_CODE_PARTS"/* | gzip -dc
}

said=$({ archive | sha256sum; } 2>&1) || fail 78 "the code's parts can't be read: $said"
[[ ${said%% *} == "$MINICLUSTER_CODE" ]] ||
  fail 78 "the code's parts have the SHA-256 ${said%% *}, not $MINICLUSTER_CODE; delete these ConfigMaps, \
then run pulumi refresh and pulumi up"
# Neither owners nor times: the pod's user may have no right to set them.
said=$({ archive | tar -x -o -m -f - -C "$MINICLUSTER_CODE_PATH"; } 2>&1) ||
  fail 78 "user $(id -u) can't unpack the code in $MINICLUSTER_CODE_PATH: $said"
