#!/usr/bin/env bash
# The results of all ranks. lead.sh runs `results-ranks.sh CODE` when the command has ended, while the brokers still run.
# Each rank runs `results-ranks.sh part DRAFT` by flux exec: it lists its files and, if there is a DRAFT, copies them there.
# results.sh reads what the ranks have said.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# Lines of a rank: those of the list, `! REASON`, and at its end `done`, or `failed WHY`.
fail_to() {
  local why=${2##*$'\n'}
  printf 'failed the pod could not %s: %s\n' "$1" "${why##*: }"
  exit 0
}

part() {
  local draft=$1 rank said
  list_files
  if [[ -n $draft ]] && ((count)); then
    # flux exec passes on the variables of the lead.
    rank=$(flux getattr rank) || fail_to "ask for its rank" "Flux does not answer"
    said=$(cp -RL -- "$tree" "$draft/rank-$rank" 2>&1) || fail_to "copy them to $draft" "$said"
  fi
  cat "$list"
  ((${#reasons[@]} == 0)) || printf '! %s\n' "${reasons[@]}"
  printf 'done\n'
}

if [[ $1 == part ]]; then
  # shellcheck source=components/features/results/results-list.sh
  source "$MINICLUSTER_SCRIPTS/results-list.sh"
  part "$2"
elif [[ $1 == 0 || -n ${MINICLUSTER_RESULTS_ON_FAILURE:-} ]]; then
  draft=
  if [[ -n ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
    umask 022
    draft=${MINICLUSTER_RESULTS_PLACE%/*}/.${MINICLUSTER_RESULTS_PLACE##*/}.minicluster
    rm -rf -- "$draft" && mkdir -p -- "$draft"
  fi
  flux getattr size >"$MINICLUSTER_RUN/results.ranks"
  flux exec --rank=all --label-io --noinput bash "$MINICLUSTER_SCRIPTS/results-ranks.sh" part "$draft" \
    >>"$MINICLUSTER_RUN/results.ranks" || say "not all ranks have told their results"
fi
