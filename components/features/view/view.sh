#!/bin/sh
# Init container of the image that provides Flux (view): copies its folders for the broker's container.
# view.sh FOLDER...: the first copy is named 0, the next 1, and so on. A folder that is a link is followed. Links inside of
# a folder stay links.
set -eu

# shellcheck source=components/parts/run.sh
. "${0%/*}/run.sh"

need_programs view:cp view:mkdir
number=0
for folder; do
  [ -d "$folder" ] || fail 78 "the image of the view has no folder $folder"
  mkdir -p "$MINICLUSTER_PREPARED/$number"
  cp -a "$folder/." "$MINICLUSTER_PREPARED/$number/" ||
    fail 78 "the folder $folder of the view can't be copied to the pod's disk; the log of the container flux-view has the reason"
  number=$((number + 1))
done
