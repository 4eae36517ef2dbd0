#!/usr/bin/env bash
# Archives the content of rank 0's Flux on a volume, which outlives the cluster. Flux runs with content.restore and
# content.dump "auto".
# `archive.sh restore` prepares the archive for Flux, which restores it at its first start.
# `archive.sh save` archives the dump that Flux has written when it ended.
# `archive.sh keep` dumps while Flux runs, in case Flux doesn't end in order.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

[[ $JOB_COMPLETION_INDEX == 0 ]] || exit 0
readonly archive=$MINICLUSTER_ARCHIVE/content.tgz
readonly dump=$MINICLUSTER_STATE/dump
readonly cluster=$MINICLUSTER_NAMESPACE/$MINICLUSTER_CLUSTER
token=$(date +%s).$$.$RANDOM
readonly token

# refused WHAT REASON
refused() {
  local cure="look at the volume"
  case $2 in
  *'ermission denied'* | *'not permitted'*)
    cure="set podSecurityContext.fsGroup, or on hostPath and NFS, which ignore it, the rights of the folder on the node or \
server; where SELinux refuses it, podSecurityContext.seLinuxOptions"
    ;;
  esac
  fail 1 "user $(id -u) may not $1: $2; $cure"
}

# Only the last pod that claimed the archive may write to it: a lead that lost its network may still run, and so may
# processes that a killed broker left behind.
claim() {
  printf '%s\n' "$token" >"$MINICLUSTER_ARCHIVE/owner" &&
    printf '%s\n' "$cluster" >"$MINICLUSTER_ARCHIVE/cluster" &&
    printf '%s\n' "$token" >"$MINICLUSTER_RUN/archive.owner"
}

# lost TOKEN: true if another pod has claimed the archive. An unreadable file doesn't count as a claim.
lost() {
  local owner
  { owner=$(<"$MINICLUSTER_ARCHIVE/owner"); } 2>/dev/null
  [[ -n $owner && $owner != "$1" ]]
}

# put OWNER COMMAND...: replaces the archive by the output of COMMAND, which gets the output file as its last word. The
# old archive stays until the new one is complete and on the disk. After a failure, a cluster doesn't put itself to
# sleep (elastic.py).
put() {
  local -r owner=$1 new=$MINICLUSTER_ARCHIVE/new.$token.tgz
  shift
  if "$@" "$new" && sync "$new" && ! lost "$owner" && mv "$new" "$archive"; then
    rm -f "$MINICLUSTER_RUN/archive.failed"
    mark archive.saved
    return 0
  fi
  mark archive.failed
  rm -f "$new"
  say "the queue could not be saved in $MINICLUSTER_ARCHIVE"
  return 1
}

# The shell prints the system's error message after its last colon.
open_folder() {
  local said
  said=$({ mkdir -p "$MINICLUSTER_ARCHIVE" && : >"$MINICLUSTER_ARCHIVE/new.$token.tgz"; } 2>&1) ||
    refused "write to $MINICLUSTER_ARCHIVE" "${said##*: }"
  rm -f "$MINICLUSTER_ARCHIVE/new.$token.tgz"
}

# reject KIND WHY CURE: fails, or renames the archive, as archive.onDamage says. It never overwrites the content.
reject() {
  local aside
  [[ $MINICLUSTER_ARCHIVE_ON_DAMAGE == setAside ]] || fail 1 "$archive $2; $3, or use archive.onDamage: \"setAside\""
  aside=content.$1-$(date -u +%Y%m%dT%H%M%SZ)
  while [[ -e $MINICLUSTER_ARCHIVE/$aside.tgz ]]; do
    aside+=.again
  done
  mv "$archive" "$MINICLUSTER_ARCHIVE/$aside.tgz" || fail 1 "$archive $2, and can't be renamed to $aside.tgz"
  say "$archive $2; it is set aside as $aside.tgz, and the queue is empty"
}

# An archive of which the user has removed the file "cluster" is accepted.
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

# The check comes before the claim: a cluster that can't start because of another cluster's archive must not claim it.
restore() {
  open_folder
  [[ ! -e $archive ]] || check_cluster
  claim || fail 1 "$MINICLUSTER_ARCHIVE can't be claimed; see the log of this pod"
  rm -f "$MINICLUSTER_ARCHIVE"/new.*.tgz
  [[ ! -e $archive ]] || check_content
  [[ -e $archive ]] || return 0
  # Flux removes the link when it has restored, so a broker that restarts in its pod keeps its content.
  mkdir -p "$dump"
  [[ -e $dump/RESTORE ]] || ln -sfn "$archive" "$dump/RESTORE"
  mark archive.restored
}

# Flux creates the link when its dump is complete, and removes the link of restore() when it has restored.
save() {
  local -r made=$dump/RESTORE
  if [[ ! -L $made ]]; then
    say "the broker has made no dump at its end, so the archive has the queue of an earlier moment"
    return 0
  fi
  if [[ $(readlink -f "$made") == "$(readlink -f "$archive")" ]]; then
    say "the broker ended before it had restored $archive, which stays as it is; if Flux says above that it can't, move it away"
  elif put "$(<"$MINICLUSTER_RUN/archive.owner")" cp "$made"; then
    say "the queue is saved"
  fi
}

# Undrains the ranks that were leaving during the dump. By now they are back, or have gone; a rank that joins later
# undrains itself (undrain.sh). A rank that an administrator drained has another reason, and stays drained.
take_back() {
  local ranks reason
  has archive.restored || return 0
  rm "$MINICLUSTER_RUN/archive.restored"
  flux resource drain --no-header --format='{ranks} {reason}' | while read -r ranks reason; do
    [[ $reason != "$mc_leaving" ]] || flux resource undrain "$ranks" </dev/null
  done
}

# rest SECONDS: pauses. False as soon as another pod has claimed the archive, for which it looks every 5 s.
rest() {
  local left=$1 part
  while ! lost "$token"; do
    ((left > 0)) || return 0
    part=$((left < 5 ? left : 5))
    # A job may kill the process of sleep.
    sleep "$part" || (($? > 128)) || return 1
    left=$((left - part))
  done
  return 1
}

# A lead that is cut off from the API server runs on when Kubernetes has made the next one. The jobs that wait are in both
# queues, so this lead starts none of them. Its running jobs go on, because the other pod may be another cluster's by mistake.
give_up() {
  say "another pod has claimed $MINICLUSTER_ARCHIVE: this one saves its queue no more, and starts no more jobs"
  until flux queue stop --all --nocheckpoint --quiet; do
    sleep 5 || (($? > 128)) || return 0
  done
}

# Dumps the queue again and again. Flux goes on during a dump, which has the queue as it was at the dump's start. The
# pauses are long enough that dumps take at most a tenth of the time. The loop ends only when another pod claims the
# archive, not while the volume doesn't answer.
keep() {
  local pause=$MINICLUSTER_ARCHIVE_PERIOD saved='' mine started version
  { mine=$(<"$MINICLUSTER_RUN/archive.owner"); } 2>/dev/null
  if [[ -n $mine ]] && lost "$mine"; then
    give_up
    return
  fi
  until claim; do
    sleep "$pause"
  done
  take_back
  while rest "$pause"; do
    # Between two runs of the broker there is nothing new to archive.
    has ready || continue
    version=$(flux kvs version) || continue
    [[ $version != "$saved" ]] || continue
    started=$SECONDS
    if put "$token" flux dump --quiet; then
      saved=$version
    fi
    pause=$((10 * (SECONDS - started)))
    pause=$((pause > MINICLUSTER_ARCHIVE_PERIOD ? pause : MINICLUSTER_ARCHIVE_PERIOD))
  done
  ! lost "$token" || give_up
}

"$1"
