#!/bin/sh
# Init container of the image that provides Flux (view): copies its folders for the broker's container.
# view.sh FOLDER...: the first copy is named 0, the next 1, and so on. A folder that is a link is followed. Links inside of
# a folder stay links.
set -eu

number=0
for folder; do
  if [ ! -d "$folder" ]; then
    printf 'minicluster.error=%s\n' "the image of the view has no folder $folder" >>"$MINICLUSTER_TERMINATION_LOG"
    exit 78
  fi
  mkdir -p "$MINICLUSTER_PREPARED/$number"
  cp -a "$folder/." "$MINICLUSTER_PREPARED/$number/"
  number=$((number + 1))
done
