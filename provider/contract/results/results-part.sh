#!/usr/bin/env bash
# The results of a rank. What sources this file has the functions of results-list.sh and, if the rank itself puts them into a
# volume, results-put.sh.
# shellcheck disable=SC2154 # the variables of results-list.sh

# part DRAFT: lists the files, and copies them into a DRAFT of all ranks if there is one. Prints the lines of the list,
# `! REASON`, and at its end `done`, or `failed WHY`.
part() {
  local draft=$1 rank said
  fail_to() {
    local why=${2##*$'\n'}
    printf 'failed the pod could not %s: %s\n' "$1" "${why##*: }"
    exit 0
  }
  list_files
  if [[ -n $draft ]] && ((count)); then
    # flux exec passes on the variables of the lead.
    rank=$(flux getattr rank) || fail_to "ask for its rank" "Flux does not answer"
    said=$(cp -RL -- "$tree" "$draft/rank-$rank" 2>&1) || fail_to "copy them to $draft" "$said"
  elif [[ -z ${MINICLUSTER_RESULTS_RANKS:-} && -n ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
    put "$MINICLUSTER_RESULTS_PLACE"
  fi
  cat "$list"
  ((${#reasons[@]} == 0)) || printf '! %s\n' "${reasons[@]}"
  printf 'done\n'
}
