#!/usr/bin/env bash
# The results of a FluxJob. When the job has ended, the lead runs `keep`, and by flux exec each of the job's ranks `rank`. The texts
# of results-*.sh stand before this one, and the variables are those of results.sh.
# shellcheck disable=SC2034,SC2154 # the variables of results-list.sh
set -uo pipefail

# The lead's pod goes on: only the caller is told.
report() { :; }
say() { :; }

# keep JOB CODE FOLDER WANTED: keeps the results of a job that has ended with this exit code. Without a FOLDER, they are in its
# working directory. WANTED is noted for the command line.
keep() {
  local -r job=$1 wanted=$4 parts=${home%/*}/parts
  local folder=$3 row set began cwd draft='' ranks=()
  mc_code=$2
  row=$(flux jobs --no-header --format='{ranks}|{t_run}|{cwd}' "$job" 2>/dev/null)
  [[ -n $row ]] || fail_unknown
  IFS='|' read -r set began cwd < <(printf '%s\n' "$row")
  list_ranks "$set"
  # The list's place, also if the lead is no rank of the job.
  umask 022
  { rm -rf -- "$home" && mkdir -p -- "$tree" && : >"$list" && printf '%s' "$wanted" >"${home%/*}/wanted" &&
    printf '%s\n' "${ranks[*]-}" >"$parts"; } 2>/dev/null || fail_to "list them in $home" "the disk is full or read-only"
  if ((${#ranks[@]} == 0)); then
    reasons=("no task of the job has run")
    tell lost
    return
  fi
  if [[ -n ${MINICLUSTER_RESULTS_RANKS:-} && -n ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
    draft=${MINICLUSTER_RESULTS_PLACE%/*}/.${MINICLUSTER_RESULTS_PLACE##*/}.minicluster
    rm -rf -- "$draft" && mkdir -p -- "$draft"
  fi
  MINICLUSTER_RESULTS_SINCE=$(moment "$began")
  export MINICLUSTER_RESULTS_SINCE
  flux exec --rank="$(IFS=, && echo "${ranks[*]}")" --dir=/ --label-io --noinput \
    bash -c "$BASH_EXECUTION_STRING" bash rank "${folder:-$cwd}" "$draft" >>"$parts" 2>/dev/null
  merge_ranks "$parts"
  if [[ -z ${MINICLUSTER_RESULTS_PLACE:-} ]]; then
    tell waits
  else
    [[ -z $draft ]] || put "$MINICLUSTER_RESULTS_PLACE"
    tell kept
  fi
}

# list_ranks SET: sets `ranks` to those of a set such as [0,2-3], or to the first one of them.
list_ranks() {
  local text=${1//[][]/} part rank
  for part in ${text//,/ }; do
    for ((rank = ${part%-*}; rank <= ${part#*-}; rank++)); do
      [[ -z ${MINICLUSTER_RESULTS_RANKS:-} && ${#ranks[@]} != 0 ]] || ranks+=("$rank")
    done
  done
}

# moment SECONDS: prints nanoseconds. The times of files are some milliseconds behind.
moment() {
  local fraction=000000000
  [[ $1 != *.* ]] || fraction=${1#*.}000000000
  printf '%s\n' $((${1%.*} * 1000000000 + 10#${fraction:0:9} - 20000000))
}

# rank FOLDER DRAFT
rank() {
  if cd -- "$1" 2>/dev/null; then
    part "$2"
  else
    printf 'failed its pod has no folder %s any more\n' "$1"
  fi
}

# describe JOB PREFIX: prints the plain id of a job, what `keep` has noted, and its jobspec, each in a line.
describe() {
  local id
  id=$(flux jobs --no-header --format='{id.f58plain}' "$1" 2>/dev/null)
  [[ -n $id ]] || fail_unknown
  # The number of the FluxJob stands before the id.
  # shellcheck disable=SC2086
  printf '%s\n%s\n' "$id" "$(cat $2"$id"/wanted 2>/dev/null)"
  flux job info "$id" jobspec
}

# drop FOLDER: removes it on all ranks. A rank that doesn't answer must not keep the caller.
drop() {
  flux exec --rank=all --dir=/ --noinput rm -rf -- "$1" </dev/null &>/dev/null &
}

# Exits with a code of protocol.ts: the job is unknown, or the broker is away.
fail_unknown() {
  ! flux getattr size >/dev/null 2>&1 || exit 64
  exit 65
}

"$@"
