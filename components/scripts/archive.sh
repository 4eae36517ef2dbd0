#!/usr/bin/env bash
# Rank 0's content, which outlives the cluster on a volume. `archive.sh restore` lays out what Flux restores at its first
# start, `archive.sh save` keeps what it has dumped at its end (content.restore and content.dump "auto").
set -uo pipefail

[[ $JOB_COMPLETION_INDEX == 0 ]] || exit 0
readonly archive=$MINICLUSTER_ARCHIVE/content.tgz
readonly dump=$MINICLUSTER_STATE/dump

fail() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'error=%s\n' "$1" >>"$MINICLUSTER_TERMINATION_LOG"
  exit 1
}

restore() {
  mkdir -p "$MINICLUSTER_ARCHIVE" 2>/dev/null
  [[ -w $MINICLUSTER_ARCHIVE ]] ||
    fail "user $(id -u) may not write to $MINICLUSTER_ARCHIVE; set podSecurityContext.fsGroup, or the rights on the volume"
  [[ -e $archive ]] || return 0
  # Flux takes the link away when it has restored, so a broker that starts again in its pod keeps what it has.
  mkdir -p "$dump"
  ln -s "$archive" "$dump/RESTORE"
}

# Flux makes the link when the dump is whole. What was archived before stays until the new one is.
save() {
  local made=$dump/RESTORE
  [[ -L $made && $(readlink -f "$made") != "$(readlink -f "$archive")" ]] || return 0
  if cp "$made" "$archive.new" && mv "$archive.new" "$archive"; then
    printf 'minicluster: the queue is saved\n' >&2
  else
    printf 'minicluster: the queue could not be saved in %s\n' "$MINICLUSTER_ARCHIVE" >&2
  fi
}

"$1"
