#!/usr/bin/env bash
# The results of a command. When it has ended, supervise.sh runs `results.sh CODE` on the lead, in the folder in which the
# command has started. It lists the files that match and copies them to a volume, or it waits until a client has fetched
# them.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"
# shellcheck source=provider/contract/results/results-list.sh
source "$MINICLUSTER_SCRIPTS/results-list.sh"
# shellcheck source=provider/contract/results/results-put.sh
source "$MINICLUSTER_SCRIPTS/results-put.sh"
# shellcheck source=provider/contract/results/results-told.sh
source "$MINICLUSTER_SCRIPTS/results-told.sh"

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
  merge_ranks "$MINICLUSTER_RUN/results.ranks"
else
  list_files
fi
if [[ -n ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
  put "$MINICLUSTER_RESULTS_PLACE"
  tell kept
else
  offer
fi
