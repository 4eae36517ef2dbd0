#!/usr/bin/env bash
# The results of a command. When it has ended, supervise.sh runs `results.sh CODE` on the lead, in the folder in which the
# command has started. It lists the files that match and copies them to a volume, or it waits until a client has fetched
# them.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"
# shellcheck source=components/features/results/results-list.sh
source "$MINICLUSTER_SCRIPTS/results-list.sh"

# Files, and bytes of text, that the log takes.
readonly most_told=1000 most_text=131072

# fail_to DO WHY: nothing is kept.
fail_to() {
  local why=${2##*$'\n'}
  reasons=("the pod could not $1: ${why##*: }" ${reasons[@]+"${reasons[@]}"})
  tell lost
  exit 0
}

# tell waits|kept|lost: a line of the log by which JobStatus knows of the results, and a shorter report.
tell() {
  local sum text='' reason end=0
  { sum=$(sha256sum <"$list") || sum=$(sha256sum </dev/null); } 2>/dev/null
  ((count > most_told)) || text=$(told_list "$list")
  ((count <= most_told && ${#text} <= most_text)) || text=$(told_list /dev/null)
  if [[ $1 == waits ]]; then
    printf -v end '%(%s)T' -1
    end=$((end + MINICLUSTER_RESULTS_KEEP_FOR))
  fi
  report results "$1"
  for reason in ${reasons[@]+"${reasons[@]:0:5}"}; do
    say "of the results, $reason"
  done
  # As the last line, because an update that comes later begins with it.
  printf 'minicluster: results %s %s %s %s %s %s %s\n' "$1" "$mc_code" "$count" "$bytes" "$end" "${sum%% *}" "${text//$'\n'/}" >&2
}

# told_list FILE: prints the reasons and the list for one line.
told_list() {
  {
    ((${#reasons[@]} == 0)) || printf '! %s\n' "${reasons[@]:0:20}"
    ((${#reasons[@]} <= 20)) || printf '! and %d more\n' $((${#reasons[@]} - 20))
    cat "$1" 2>/dev/null
  } | gzip -9 | base64
}

# Makes one list of what the ranks have told results-ranks.sh: lines `RANK: ...`.
merge_ranks() {
  local size=0 line rank rest sum answered=' ' text
  local -A unmatched=()
  [[ -s $MINICLUSTER_RUN/results.ranks ]] || fail_to "ask the ranks" "Flux did not answer"
  {
    read -r size
    while IFS= read -r line; do
      rank=${line%%: *} line=${line#*: }
      case $line in
      done) answered+="$rank " ;;
      'failed '*)
        reasons=("rank $rank: ${line#failed }")
        tell lost
        exit 0
        ;;
      '! nothing matches '*) unmatched[$line]=${unmatched[$line]-}. ;;
      '! '*) reasons+=("rank $rank: ${line#! }") ;;
      *)
        sum=${line%% *} rest=${line#* }
        count=$((count + 1)) bytes=$((bytes + ${rest%% *}))
        printf '%s %s %s rank-%s/%s\n' "$sum" "${rest%% *}" "$rank" "$rank" "${rest#* * }"
        ;;
      esac
    done
  } <"$MINICLUSTER_RUN/results.ranks" >"$list" || fail_to "list them in $home" "the disk is full or read-only"
  for ((rank = 0; rank < size; rank++)); do
    [[ $answered == *" $rank "* ]] || reasons+=("rank $rank did not answer")
  done
  # Only what matches on no rank.
  for line in "${!unmatched[@]}"; do
    text=${unmatched[$line]}
    ((${#text} < size)) || reasons+=("${line#! }")
  done
}

# put FOLDER: copies the files beside it and renames them. The folder that was there stays until then. SIGTERM doesn't end
# this: the pod has its time for that.
put() {
  local -r target=$1
  local -r draft=${target%/*}/.${target##*/}.minicluster
  local said
  ((count)) || return 0
  # Of a pod that was killed between the two renames.
  [[ -e $target || ! -e $draft.old ]] || mv -T -- "$draft.old" "$target"
  rm -rf -- "$draft.old"
  # All ranks have copied theirs already.
  if [[ -z ${MINICLUSTER_RESULTS_RANKS:-} ]] && ! said=$(copy_to "$draft" 2>&1); then
    rm -rf -- "$draft"
    fail_to "copy them to $target" "$said"
  fi
  [[ ! -e $target ]] || said=$(mv -T -- "$target" "$draft.old" 2>&1) || fail_to "replace $target" "$said"
  if ! said=$(mv -T -- "$draft" "$target" 2>&1); then
    [[ ! -e $draft.old ]] || mv -T -- "$draft.old" "$target"
    fail_to "put them at $target" "$said"
  fi
  rm -rf -- "$draft.old"
}

copy_to() {
  mkdir -p -- "${1%/*}" && rm -rf -- "$1" && mkdir -- "$1" && cp -RL -- "$tree/." "$1"
}

# Waits for a client, which writes into the pipe.
offer() {
  local word=
  { mkfifo -m 600 "$home/told" && exec {told}<>"$home/told"; } || fail_to "wait for a client" "no pipe can be made"
  trap 'lose "the pod was told to end"' TERM
  tell waits
  ! has stopped || lose "the pod was told to end"
  read -r -t "$MINICLUSTER_RESULTS_KEEP_FOR" -u "$told" word
  [[ $word == fetched ]] || lose "$MINICLUSTER_RESULTS_KEEP_FOR s are over"
  report results fetched
}

lose() {
  say "nobody has fetched the results: $1"
  report results unfetched
  exit 0
}

readonly mc_code=$1
[[ $mc_code == 0 || -n ${MINICLUSTER_RESULTS_ON_FAILURE:-} ]] || exit 0
if [[ -n ${MINICLUSTER_RESULTS_RANKS:-} ]]; then
  merge_ranks
else
  list_files
fi
if [[ -n ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
  put "$MINICLUSTER_RESULTS_PLACE"
  tell kept
else
  offer
fi
