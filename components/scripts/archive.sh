#!/usr/bin/env bash
# Rank 0's content, which outlives the cluster on a volume. `archive.sh restore` lays out what Flux restores at its first
# start, `archive.sh save` keeps what it has dumped at its end (content.restore and content.dump "auto"), and
# `archive.sh keep` dumps it while it runs, for ends that are not orderly.
set -uo pipefail

[[ $JOB_COMPLETION_INDEX == 0 ]] || exit 0
readonly archive=$MINICLUSTER_ARCHIVE/content.tgz
readonly new=$MINICLUSTER_ARCHIVE/content.new.tgz
readonly dump=$MINICLUSTER_STATE/dump

fail() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'error=%s\n' "$1" >>"$MINICLUSTER_TERMINATION_LOG"
  exit 1
}

not_saved() {
  printf 'minicluster: the queue could not be saved in %s\n' "$MINICLUSTER_ARCHIVE" >&2
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
  if cp "$made" "$new" && mv "$new" "$archive"; then
    printf 'minicluster: the queue is saved\n' >&2
  else
    not_saved
  fi
}

# A dump is of one point in time, and nothing waits for it. Large ones take a tenth of the time at most.
keep() {
  local -r owner=$MINICLUSTER_RUN/archive.owner
  local pause=$MINICLUSTER_ARCHIVE_PERIOD saved='' started version
  # A lead broker that was killed leaves its initial program behind, and this with it.
  printf '%d\n' "$$" >"$owner"
  while sleep "$pause" && [[ $(<"$owner") == "$$" ]]; do
    version=$(flux kvs version) || continue
    [[ $version != "$saved" ]] || continue
    started=$SECONDS
    if flux dump --quiet "$new" && mv "$new" "$archive"; then
      saved=$version
    else
      not_saved
    fi
    pause=$((10 * (SECONDS - started)))
    pause=$((pause > MINICLUSTER_ARCHIVE_PERIOD ? pause : MINICLUSTER_ARCHIVE_PERIOD))
  done
}

"$1"
