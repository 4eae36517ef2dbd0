#!/usr/bin/env bash
# Rank 0's content, which outlives the cluster on a volume. `archive.sh restore` lays out what Flux restores at its first
# start, `archive.sh save` keeps what it has dumped at its end (content.restore and content.dump "auto"), and
# `archive.sh keep` dumps it while it runs, for ends that are not orderly.
set -uo pipefail

[[ $JOB_COMPLETION_INDEX == 0 ]] || exit 0
readonly archive=$MINICLUSTER_ARCHIVE/content.tgz
readonly dump=$MINICLUSTER_STATE/dump
readonly cluster=$MINICLUSTER_NAMESPACE/$MINICLUSTER_CLUSTER
token=$(date +%s).$$.$RANDOM
readonly token

say() {
  printf 'minicluster: %s\n' "$1" >&2
}

fail() {
  say "$1"
  printf 'error=%s\n' "$1" >>"$MINICLUSTER_TERMINATION_LOG"
  exit 1
}

# refused WHAT REASON
refused() {
  local cure="look at the volume"
  case $2 in
  *'ermission denied'* | *'not permitted'*)
    cure="set podSecurityContext.fsGroup, or the rights on the volume; where SELinux refuses it, podSecurityContext.seLinuxOptions"
    ;;
  esac
  fail "user $(id -u) may not $1: $2; $cure"
}

# The last one who has claimed the archive may write: a lead that is cut off may live on, and so may what a broker that was
# killed leaves behind.
claim() {
  printf '%s\n' "$token" >"$MINICLUSTER_ARCHIVE/owner" &&
    printf '%s\n' "$cluster" >"$MINICLUSTER_ARCHIVE/cluster" &&
    printf '%s\n' "$token" >"$MINICLUSTER_RUN/archive.owner"
}

# lost TOKEN: another one has claimed the archive. A file that can't be read says nothing of that.
lost() {
  local owner
  { owner=$(<"$MINICLUSTER_ARCHIVE/owner"); } 2>/dev/null
  [[ -n $owner && $owner != "$1" ]]
}

# What was archived before stays until the new one is whole and on the disk: put OWNER COMMAND..., which writes it to the
# file that comes as its last word.
put() {
  local -r owner=$1 new=$MINICLUSTER_ARCHIVE/new.$token.tgz
  shift
  if "$@" "$new" && sync "$new" && ! lost "$owner" && mv "$new" "$archive"; then
    return 0
  fi
  rm -f "$new"
  say "the queue could not be saved in $MINICLUSTER_ARCHIVE"
  return 1
}

# The system's own word for a refusal comes after the last colon of what the shell says.
open_folder() {
  local said
  said=$({ mkdir -p "$MINICLUSTER_ARCHIVE" && : >"$MINICLUSTER_ARCHIVE/new.$token.tgz"; } 2>&1) ||
    refused "write to $MINICLUSTER_ARCHIVE" "${said##*: }"
  rm -f "$MINICLUSTER_ARCHIVE/new.$token.tgz"
}

# Does what archive.onDamage says: reject KIND WHY CURE. The content is never overwritten.
reject() {
  local aside
  [[ $MINICLUSTER_ARCHIVE_ON_DAMAGE == setAside ]] || fail "$archive $2; $3, or use archive.onDamage: \"setAside\""
  aside=content.$1-$(date -u +%Y%m%dT%H%M%SZ)
  while [[ -e $MINICLUSTER_ARCHIVE/$aside.tgz ]]; do
    aside+=.again
  done
  mv "$archive" "$MINICLUSTER_ARCHIVE/$aside.tgz" || fail "$archive $2, and can't be renamed to $aside.tgz"
  say "$archive $2; it is set aside as $aside.tgz, and the queue is empty"
}

# Archives of earlier versions don't say whose they are.
check_cluster() {
  local theirs
  { theirs=$(<"$MINICLUSTER_ARCHIVE/cluster"); } 2>/dev/null
  [[ -z $theirs || $theirs == "$cluster" ]] ||
    reject other "is of the cluster $theirs, and this is $cluster" \
      "give this cluster an archive.folder of its own, or remove the file \"cluster\" beside it to take its queue over"
}

check_content() {
  local code said
  said=$(flux python "$MINICLUSTER_SCRIPTS/archive.py" "$archive" 2>&1)
  code=$?
  case $code in
  0) ;;
  65) reject damaged "$said" "move it away" ;;
  74) refused "read $archive" "$said" ;;
  *) say "$archive could not be checked (exit code $code): ${said##*$'\n'}" ;;
  esac
}

# A cluster that stays down because of another one's archive must not claim it.
restore() {
  open_folder
  [[ ! -e $archive ]] || check_cluster
  claim || fail "$MINICLUSTER_ARCHIVE can't be claimed; see the log of this pod"
  rm -f "$MINICLUSTER_ARCHIVE"/new.*.tgz
  [[ ! -e $archive ]] || check_content
  [[ -e $archive ]] || return 0
  # Flux takes the link away when it has restored, so a broker that starts again in its pod keeps what it has.
  mkdir -p "$dump"
  [[ -e $dump/RESTORE ]] || ln -sfn "$archive" "$dump/RESTORE"
  : >"$MINICLUSTER_RUN/archive.restored"
}

# Flux makes the link when the dump is whole, and takes ours away when it has restored.
save() {
  local -r made=$dump/RESTORE
  [[ -L $made ]] || return 0
  if [[ $(readlink -f "$made") == "$(readlink -f "$archive")" ]]; then
    say "the broker ended before it had restored $archive, which stays as it is; if Flux says above that it can't, move it away"
  elif put "$(<"$MINICLUSTER_RUN/archive.owner")" cp "$made"; then
    say "the queue is saved"
  fi
}

# Ranks that were leaving when the dump was made: by now they are back, or not there, and those that come later do this
# themselves (rejoin.sh). A rank that an administrator drained has another reason.
take_back() {
  local ranks reason
  [[ -e $MINICLUSTER_RUN/archive.restored ]] || return 0
  rm "$MINICLUSTER_RUN/archive.restored"
  flux resource drain --no-header --format='{ranks} {reason}' | while read -r ranks reason; do
    [[ $reason != "the pod is leaving" ]] || flux resource undrain "$ranks" </dev/null
  done
}

# A dump is of one point in time, and nothing waits for it. Large ones take a tenth of the time at most. Only another pod's
# claim ends this: a volume that doesn't answer for a while doesn't.
keep() {
  local pause=$MINICLUSTER_ARCHIVE_PERIOD saved='' mine started version
  { mine=$(<"$MINICLUSTER_RUN/archive.owner"); } 2>/dev/null
  if [[ -n $mine ]] && lost "$mine"; then
    say "another pod has claimed $MINICLUSTER_ARCHIVE, and this one saves its queue no more"
    return 0
  fi
  until claim; do
    sleep "$pause"
  done
  take_back
  while sleep "$pause" && ! lost "$token"; do
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
