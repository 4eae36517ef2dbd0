#!/usr/bin/env bash
# The commands of FluxSubmission on rank 0 that don't go through the agent. bash reads this script from standard input;
# the last line is the call. The API server may log command lines, so they contain nothing of a job. The script needs
# flock, so that of two calls for one array only one submits it.
set -uo pipefail

# All variables have a prefix: a job gets the environment of `flux submit`, and a variable of the container with the name
# of one of ours would reach it with another value.

# Exit codes with a meaning for the provider. All others are Flux' own.
readonly MC_UNKNOWN_JOB=64 MC_NO_BROKER=65

mc_run=$MINICLUSTER_RUN/jobs

# fail CODE: exits with CODE if the broker answers. Flux' commands fail in the same way if the broker is away.
fail() {
  if flux getattr size >/dev/null 2>&1; then
    exit "$1"
  fi
  echo "the lead's broker does not answer" >&2
  exit "$MC_NO_BROKER"
}

# list MOST SECONDS: prints the jobs of all users whose tasks run, and at most MOST of those that wait, as lines of fields
# between tabs. `!a` quotes the name, which may contain tabs and line feeds. Both are asked at the same time, because the caller doesn't
# wait longer than SECONDS.
list() {
  local mc_fields=$'{id.f58plain}\t{ranks}\t{runtime}\t{name!a}' mc_waiting mc_rows
  exec {mc_waiting}< <(
    list_state pending "$1" "$2" 2>/dev/null
    echo "$?"
  )
  list_state run 0 "$2" || fail 1
  # The code of a process substitution is only known to the process itself.
  mc_rows=$(cat <&"$mc_waiting")
  if [[ ${mc_rows##*$'\n'} != 0 ]]; then
    echo "the jobs that wait can't be listed: error ${mc_rows##*$'\n'}" >&2
    fail 1
  fi
  printf '%s' "${mc_rows%0}"
}

list_state() {
  timeout "$3" flux jobs -A --filter="$1" --count="$2" --no-header --format="$1"$'\t'"$mc_fields"
}

# lock KEY: waits until no other call submits or removes the job.
lock() {
  umask 077
  mkdir -p "$mc_run"
  exec 9>"$mc_run/$1.lock"
  flock 9 || exit
}

# Runs on rank 0 for each task: prints the secrets in FILE, and removes them after READERS tasks; 0 for any number.
# shellcheck disable=SC2016
readonly MC_READ_SECRETS='mc_secrets=$(<"$1") || exit
printf "%s\n" "$mc_secrets"
(($2 > 0)) || exit 0
printf . >>"$1.read"
mc_read=$(<"$1.read")
((${#mc_read} < $2)) || rm -f "$1" "$1.read"'

# needs_task WORD...: false if task.sh has nothing to do for a command: no brace, no GPUs to name.
needs_task() {
  [[ $* == *"{"* ]] || compgen -G "$MINICLUSTER_SCRIPTS/gpus-*.sh" >/dev/null
}

# compose READERS NAME KEY HASH SECRETS OPTION... -- WORD...: sets the arrays options and words for `flux submit`. READERS
# is the number of tasks that read the secrets; empty for those of one job.
compose() {
  local mc_readers=$1 mc_name=$2 mc_key=$3 mc_hash=$4 mc_secrets=$5 mc_marked=$'{\001'
  mc_options=() mc_words=(bash "$MINICLUSTER_SCRIPTS/task.sh")
  shift 5
  while [[ $1 != -- ]]; do
    mc_options+=("$1")
    shift
  done
  shift
  # The start of a bash in each element takes some percent of the time of an array of short jobs.
  [[ -z $mc_readers || -n $mc_secrets ]] || needs_task "$@" || mc_words=()
  if [[ -n $mc_secrets ]]; then
    # In one step: tasks of earlier elements may read the file while more elements are submitted.
    printf '%s\n' "$mc_secrets" >"$mc_run/$mc_key.env.new" || exit
    rm -f "$mc_run/$mc_key.env.read"
    mv "$mc_run/$mc_key.env.new" "$mc_run/$mc_key.env" || exit
    # Flux keeps the jobspec, so secrets are not in it: each task reads them from rank 0, one NAME=VALUE in a line, in
    # which line breaks and backslashes are written as printf's %b reads them. The task expands the variables.
    # shellcheck disable=SC2016
    mc_words+=(bash -c 'mc_text=$(flux exec --rank=0 --noinput --quiet bash -c "$1" bash "$2" "${3:-$FLUX_JOB_SIZE}") || exit
mapfile -t mc_text < <(printf "%s\n" "$mc_text")
for mc_line in "${!mc_text[@]}"; do printf -v "mc_text[mc_line]" %b "${mc_text[mc_line]}"; done
set -- "${#mc_text[@]}" "${mc_text[@]}" "${@:4}"; unset mc_text mc_line; export -- "${@:2:$1}" || exit; shift "$(($1 + 1))"; exec "$@"')
    mc_words+=(secrets "$MC_READ_SECRETS" "$mc_run/$mc_key.env" "$mc_readers")
  fi
  mc_options+=(--job-name="$mc_name" --setattr=user.minicluster.key="$mc_key" --setattr=user.minicluster.hash="$mc_hash")
  # Flux replaces {{NAME}} in the words of a job, so each { gets a mark, which task.sh removes.
  mc_words+=("$@")
  mc_words=("${mc_words[@]//\{/$mc_marked}")
}

# template NAME KEY HASH SECRETS OPTION... -- WORD...: prints the jobspec of a job.
template() {
  local -a mc_options mc_words
  compose "" "$@"
  flux submit --dry-run "${mc_options[@]}" -- "${mc_words[@]}"
}

# ask PROGRAM WORD...: prints what a program says, whose text is PROGRAM: history.py and maintain.py.
ask() {
  run_program "$@" || fail 1
}

# cancel ID...: cancels jobs, and prints what Flux says of those that can't be cancelled.
cancel() {
  flux cancel "$@" || fail 1
}

# explain ID PROGRAM BYTES: prints what explain.py, whose text is PROGRAM, finds out about a job.
explain() {
  flux job info "$1" jobspec >/dev/null 2>&1 || fail "$MC_UNKNOWN_JOB"
  run_program "$2" "$1" "$3" || fail 1
}

# False if the connection of the call has ended: nobody would ever know the jobs of this call. 8 is its standard input, which
# has nothing left.
is_connected() {
  while read -rt0 <&8; do
    # In a process of its own: it sets a variable.
    (read -r) <&8 || return 1
  done
}

# put_code PROGRAM NAME HASH SIZE: makes the archive of a code, whose packed files follow the call. PROGRAM is the text of
# put_code.py.
put_code() {
  run_program "$@" <&8 || fail 1
}

# submit_array PROGRAM REQUEST NAME KEY HASHES GUARD SECRETS OPTION... -- WORD...: submits elements of an array, whose
# template is the jobspec of one job.
submit_array() {
  local mc_program=$1 mc_request=$2 mc_name=$3 mc_key=$4 mc_known=$5 mc_template
  local -a mc_options mc_words
  lock "$mc_key"
  shift 6
  compose 0 "$mc_name" "$mc_key" "${mc_known%% *}" "$@"
  mc_template=$(flux submit --dry-run "${mc_options[@]}" -- "${mc_words[@]}") || fail 1
  is_connected || exit
  run_array "$mc_program" "${mc_request%\}},\"template\":$mc_template}"
  exit
}

# remove_array PROGRAM REQUEST KEY: removes the elements, after a submission that still runs.
remove_array() {
  lock "$3"
  run_array "$1" "$2"
}

# run_array PROGRAM REQUEST: runs a call of array.py, the text of which is PROGRAM.
run_array() {
  printf '%s' "$2" | run_program "$1" "$mc_run" || fail 1
}

# run_program PROGRAM WORD...: runs a program of Flux' Python in our own folder, because Python looks for modules in the
# working directory first: a flux.py there would take the place of Flux' bindings.
run_program() {
  (umask 077 && mkdir -p "$mc_run" && cd "$mc_run" && exec flux python -c "$@")
}
