#!/bin/sh
# Init container of the image that brings Flux (view): one copy of its folders, for the broker's container.
# view.sh FOLDER...: the first becomes 0, the next 1, and so on. A folder that is a link is followed, what is in it isn't.
set -eu

number=0
for folder; do
  if [ ! -d "$folder" ]; then
    printf 'error=%s\n' "the image of the view has no folder $folder" >"$MINICLUSTER_TERMINATION_LOG"
    exit 78
  fi
  mkdir -p "$MINICLUSTER_PREPARED/$number"
  cp -a "$folder/." "$MINICLUSTER_PREPARED/$number/"
  number=$((number + 1))
done
