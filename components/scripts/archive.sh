#!/usr/bin/env bash
# Rank 0's content, which outlives the cluster on a volume. `archive.sh restore` lays out what Flux restores at its first
# start, `archive.sh save` keeps what it has dumped at its end (content.restore and content.dump "auto"), and
# `archive.sh keep` dumps it while it runs, for ends that are not orderly.
set -uo pipefail

[[ $JOB_COMPLETION_INDEX == 0 ]] || exit 0
readonly archive=$MINICLUSTER_ARCHIVE/content.tgz
readonly dump=$MINICLUSTER_STATE/dump
readonly token=$EPOCHREALTIME

fail() {
  printf 'minicluster: %s\n' "$1" >&2
  printf 'error=%s\n' "$1" >>"$MINICLUSTER_TERMINATION_LOG"
  exit 1
}

# The last one who has claimed the archive may write: a lead that is cut off may live on, and so may what a broker that was
# killed leaves behind.
claim() {
  printf '%s\n' "$token" >"$MINICLUSTER_ARCHIVE/owner"
  printf '%s\n' "$token" >"$MINICLUSTER_RUN/archive.owner"
}

# owns TOKEN
owns() {
  [[ $(<"$MINICLUSTER_ARCHIVE/owner") == "$1" ]]
}

# What was archived before stays until the new one is whole and on the disk: put OWNER COMMAND..., which writes it to the
# file that comes as its last word.
put() {
  local -r owner=$1 new=$MINICLUSTER_ARCHIVE/new.$token.tgz
  shift
  if "$@" "$new" && sync "$new" && owns "$owner" && mv "$new" "$archive"; then
    return 0
  fi
  rm -f "$new"
  printf 'minicluster: the queue could not be saved in %s\n' "$MINICLUSTER_ARCHIVE" >&2
  return 1
}

restore() {
  mkdir -p "$MINICLUSTER_ARCHIVE" 2>/dev/null
  [[ -w $MINICLUSTER_ARCHIVE ]] ||
    fail "user $(id -u) may not write to $MINICLUSTER_ARCHIVE; set podSecurityContext.fsGroup, or the rights on the volume"
  claim
  rm -f "$MINICLUSTER_ARCHIVE"/new.*.tgz
  [[ -s $archive ]] || return 0
  # Flux takes the link away when it has restored, so a broker that starts again in its pod keeps what it has.
  mkdir -p "$dump"
  ln -s "$archive" "$dump/RESTORE"
  : >"$MINICLUSTER_RUN/archive.restored"
}

# Flux makes the link when the dump is whole.
save() {
  local -r made=$dump/RESTORE
  [[ -L $made && $(readlink -f "$made") != "$(readlink -f "$archive")" ]] || return 0
  if put "$(<"$MINICLUSTER_RUN/archive.owner")" cp "$made"; then
    printf 'minicluster: the queue is saved\n' >&2
  fi
}

# Ranks that were on their way out when the dump was made: by now they are back, or not there, and those who come later do
# this themselves (rejoin.sh).
take_back() {
  local ranks reason
  [[ -e $MINICLUSTER_RUN/archive.restored ]] || return 0
  rm "$MINICLUSTER_RUN/archive.restored"
  flux resource drain --no-header --format='{ranks} {reason}' | while read -r ranks reason; do
    [[ $reason != "the pod is leaving" ]] || flux resource undrain "$ranks"
  done
}

# A dump is of one point in time, and nothing waits for it. Large ones take a tenth of the time at most.
keep() {
  local pause=$MINICLUSTER_ARCHIVE_PERIOD saved='' started version
  claim
  take_back
  while sleep "$pause" && owns "$token"; do
    # Between two lives there is nothing that is worth more than what is kept.
    [[ -e $MINICLUSTER_RUN/ready ]] || continue
    version=$(flux kvs version) || continue
    [[ $version != "$saved" ]] || continue
    started=$SECONDS
    if put "$token" flux dump --quiet; then
      saved=$version
    fi
    pause=$((10 * (SECONDS - started)))
    pause=$((pause > MINICLUSTER_ARCHIVE_PERIOD ? pause : MINICLUSTER_ARCHIVE_PERIOD))
  done
}

"$1"
