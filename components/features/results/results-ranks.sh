#!/usr/bin/env bash
# The results of all ranks. lead.sh runs `results-ranks.sh CODE` when the command has ended, while the brokers still run.
# Each rank runs `results-ranks.sh part DRAFT` by flux exec: it lists its files and, if there is a DRAFT, copies them there.
# results.sh reads what the ranks have said.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

if [[ $1 == part ]]; then
  # shellcheck source=provider/contract/results/results-list.sh
  source "$MINICLUSTER_SCRIPTS/results-list.sh"
  # shellcheck source=provider/contract/results/results-part.sh
  source "$MINICLUSTER_SCRIPTS/results-part.sh"
  part "$2"
elif [[ $1 == 0 || -n ${MINICLUSTER_RESULTS_ON_FAILURE:-} ]]; then
  draft=
  if [[ -n ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
    umask 022
    draft=${MINICLUSTER_RESULTS_PLACE%/*}/.${MINICLUSTER_RESULTS_PLACE##*/}.minicluster
    rm -rf -- "$draft" && mkdir -p -- "$draft"
  fi
  size=$(flux getattr size) || exit
  {
    for ((rank = 0; rank < size; rank++)); do
      printf '%d ' "$rank"
    done
    echo
  } >"$MINICLUSTER_RUN/results.ranks"
  flux exec --rank=all --label-io --noinput bash "$MINICLUSTER_SCRIPTS/results-ranks.sh" part "$draft" \
    >>"$MINICLUSTER_RUN/results.ranks" || say "not all ranks have told their results"
fi
