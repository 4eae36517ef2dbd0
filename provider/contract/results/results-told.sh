#!/usr/bin/env bash
# Tells of results, which may be those of several ranks. What sources this file has the variables of results-list.sh, mc_code, and
# functions report and say.
# shellcheck disable=SC2034,SC2154 # the variables of results-list.sh

# Files, and bytes of text, that the log takes.
readonly most_told=1000 most_text=131072

# fail_to DO WHY: nothing is kept.
fail_to() {
  local why=${2##*$'\n'}
  reasons=("the pod could not $1: ${why##*: }" ${reasons[@]+"${reasons[@]}"})
  tell lost
  exit 0
}

# tell waits|kept|lost: a line of the log by which a client knows of the results, and a shorter report.
tell() {
  local sum text='' reason end=0
  { sum=$(sha256sum <"$list") || sum=$(sha256sum </dev/null); } 2>/dev/null
  ((count > most_told)) || text=$(told_list "$list")
  ((count <= most_told && ${#text} <= most_text)) || text=$(told_list /dev/null)
  if [[ $1 == waits && -n ${MINICLUSTER_RESULTS_KEEP_FOR:-} ]]; then
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

# merge_ranks FILE: makes one list of what the ranks have told by results-part.sh. The first line has their numbers, and the others are
# `RANK: ...`. Unless MINICLUSTER_RESULTS_RANKS is set, there is one rank, and its files need no folder of their own.
merge_ranks() {
  local file=$1 ranks=() line rank rest sum answered=' ' text folder='' who=''
  local -A unmatched=()
  [[ -s $file ]] || fail_to "ask the ranks" "Flux did not answer"
  {
    read -ra ranks
    while IFS= read -r line; do
      rank=${line%%: *} line=${line#*: }
      [[ -z ${MINICLUSTER_RESULTS_RANKS:-} ]] || folder=rank-$rank/ who="rank $rank: "
      case $line in
      done) answered+="$rank " ;;
      'failed '*)
        reasons=("$who${line#failed }")
        tell lost
        exit 0
        ;;
      '! nothing matches '*) unmatched[$line]=${unmatched[$line]-}. ;;
      '! '*) reasons+=("$who${line#! }") ;;
      *)
        sum=${line%% *} rest=${line#* }
        count=$((count + 1)) bytes=$((bytes + ${rest%% *}))
        printf '%s %s %s %s\n' "$sum" "${rest%% *}" "$rank" "$folder${rest#* * }"
        ;;
      esac
    done
  } <"$file" >"$list" || fail_to "list them in $home" "the disk is full or read-only"
  for rank in "${ranks[@]}"; do
    [[ $answered == *" $rank "* ]] || reasons+=("rank $rank did not answer")
  done
  # Only what matches on no rank.
  for line in "${!unmatched[@]}"; do
    text=${unmatched[$line]}
    ((${#text} < ${#ranks[@]})) || reasons+=("${line#! }")
  done
}
