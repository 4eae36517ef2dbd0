#!/usr/bin/env bash
# The commands of FluxSubmission on rank 0. bash reads this script from standard input, after cpus.sh; the last line is
# the call. The API server may log command lines, so they contain nothing of a job. The script needs flock, so that of
# two calls for one job only one submits it.
set -uo pipefail

# Exit codes with a meaning for the provider. All others are Flux' own.
readonly UNKNOWN_JOB=64 NO_BROKER=65 RUNNING=66

run=$MINICLUSTER_RUN/jobs

# fail CODE: exits with CODE if the broker answers. Flux' commands fail in the same way if the broker is away.
fail() {
  if flux getattr size >/dev/null 2>&1; then
    exit "$1"
  fi
  echo "the lead's broker does not answer" >&2
  exit "$NO_BROKER"
}

# find_job NAME KEY: prints the id of the job with this name and key.
find_job() {
  local id ids spec
  ids=$(flux jobs -a --count=0 --no-header --format='{id.f58plain}' --name="$1") || fail 1
  for id in $ids; do
    spec=$(flux job info "$id" jobspec) || fail 1
    if [[ $spec == *"\"$2\""* ]]; then
      printf '%s\n' "$id"
      return
    fi
  done
}

# require_job ID KEY: fails unless the job has this key. Another instance may have given the id to another job.
require_job() {
  local spec
  spec=$(flux job info "$1" jobspec 2>/dev/null) || fail "$UNKNOWN_JOB"
  [[ $spec == *"\"$2\""* ]] || exit "$UNKNOWN_JOB"
}

# events ID: prints the job's events.
events() {
  flux job eventlog --format=json "$1"
}

# has_event NAME EVENTS: true if one of the events has this name.
has_event() {
  [[ $2 =~ \"name\":\ ?\"$1\" ]]
}

# require_idle ID GUARD: unless GUARD is "allow", prints the events and exits with RUNNING if the job's tasks run.
require_idle() {
  local events
  [[ $2 != allow ]] || return 0
  events=$(events "$1") || fail 1
  if has_event start "$events" && ! has_event finish "$events" && ! has_event clean "$events"; then
    printf '%s\n' "$events"
    exit "$RUNNING"
  fi
}

# lock KEY: waits until no other call submits or removes the job.
lock() {
  umask 077
  mkdir -p "$run"
  exec 9>"$run/$1.lock"
  flock 9 || exit
}

# Runs on rank 0 for each task: prints the secrets in FILE, and removes them after READERS tasks; 0 for any number.
# shellcheck disable=SC2016
readonly READ_SECRETS='cat "$1" || exit
(($2 > 0)) || exit 0
printf . >>"$1.read"
(($(wc -c <"$1.read") < $2)) || rm -f "$1" "$1.read"'

# compose READERS NAME KEY HASH SECRETS OPTION... -- WORD...: sets the arrays options and words for `flux submit`. READERS
# is the number of tasks that read the secrets; empty for those of one job.
compose() {
  local readers=$1 name=$2 key=$3 hash=$4 secrets=$5 marked=$'{\001'
  options=() words=(bash "$MINICLUSTER_SCRIPTS/task.sh")
  shift 5
  # Before the user's options, of which a later one replaces an earlier one.
  owns_cpus || options+=(--setopt=cpu-affinity=off)
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  if [[ -n $secrets ]]; then
    # In one step: tasks of earlier elements may read the file while more elements are submitted.
    printf '%s\n' "$secrets" >"$run/$key.env.new"
    rm -f "$run/$key.env.read"
    mv "$run/$key.env.new" "$run/$key.env" || exit
    # Flux keeps the jobspec, so secrets are not in it: each task reads them from rank 0. The task expands the
    # variables.
    # shellcheck disable=SC2016
    words+=(bash -c 'text=$(flux exec --rank=0 --noinput --quiet bash -c "$1" bash "$2" "${3:-$FLUX_JOB_SIZE}") || exit
eval "$text"; unset text; shift 3; exec "$@"')
    words+=(secrets "$READ_SECRETS" "$run/$key.env" "$readers")
  fi
  options+=(--job-name="$name" --setattr=user.minicluster.key="$key" --setattr=user.minicluster.hash="$hash")
  # Flux replaces {{NAME}} in the words of a job, so each { gets a mark, which task.sh removes.
  words+=("$@")
  words=("${words[@]//\{/$marked}")
}

# submit NAME KEY HASHES GUARD SECRETS OPTION... -- WORD...: prints the job's id, also if the job was already submitted. A
# new job gets the first one of HASHES; one with any of them is the same job. Another job is removed, unless GUARD is not
# "allow" and its tasks run.
submit() {
  local name=$1 key=$2 guard=$4 hash id spec
  local -a hashes options words
  # shellcheck disable=SC2206 # hexadecimal numbers
  hashes=($3)
  lock "$key"
  id=$(find_job "$name" "$key") || exit
  if [[ -n $id ]]; then
    spec=$(flux job info "$id" jobspec) || fail 1
    for hash in "${hashes[@]}"; do
      if [[ $spec == *"\"$hash\""* ]]; then
        printf '%s\n' "$id"
        return
      fi
    done
    # Only the id, as after a submission.
    (require_idle "$id" "$guard") >/dev/null || {
      local code=$?
      printf '%s\n' "$id"
      exit "$code"
    }
    remove "$id" "$key" 60 allow
  fi
  shift 4
  compose "" "$name" "$key" "${hashes[0]}" "$@"
  id=$(flux submit "${options[@]}" -- "${words[@]}") || fail 1
  printf '%s\n' "${id/#ƒ/f}"
}

# watch ID KEY EVENT SECONDS: waits for EVENT, at most SECONDS, and prints the job's events.
watch() {
  local events
  require_job "$1" "$2"
  [[ -z $3 ]] || flux job wait-event --quiet --timeout="$4s" "$1" "$3" >/dev/null 2>&1
  events=$(events "$1") || fail "$UNKNOWN_JOB"
  # Tasks that never started have not read them.
  ! has_event clean "$events" || rm -f "$run/$2.env" "$run/$2.env.read"
  printf '%s\n' "$events"
}

# output ID KEY BYTES: prints the last BYTES of the output of a finished job.
output() {
  require_job "$1" "$2"
  flux job attach --read-only "$1" 2>&1 | sed '/^flux-job: task(s) /d' | tail -c "$3"
  return 0
}

# remove ID KEY SECONDS GUARD: cancels the job, waits for its end and removes it from Flux' history. With another GUARD
# than "allow", a job whose tasks run is left alone.
remove() {
  require_job "$1" "$2"
  require_idle "$1" "$4"
  flux cancel "$1" 2>/dev/null
  flux job wait-event --quiet --timeout="$3s" "$1" clean >&2 || fail 1
  flux job purge --force "$1" >&2 || fail 1
  rm -f "$run/$2.env" "$run/$2.env.read"
}

# submit_array PROGRAM REQUEST NAME KEY HASHES GUARD SECRETS OPTION... -- WORD...: submits elements of an array, whose
# template is the jobspec of one job.
submit_array() {
  local program=$1 request=$2 name=$3 key=$4 known=$5 template
  local -a options words
  lock "$key"
  shift 6
  compose 0 "$name" "$key" "${known%% *}" "$@"
  template=$(flux submit --dry-run "${options[@]}" -- "${words[@]}") || fail 1
  run_array "$program" "${request%\}},\"template\":$template}"
}

# remove_array PROGRAM REQUEST KEY: removes the elements, after a submission that still runs.
remove_array() {
  lock "$3"
  run_array "$1" "$2"
}

# run_array PROGRAM REQUEST: runs a call of array.py, the text of which is PROGRAM.
run_array() {
  printf '%s' "$2" | flux python -c "$1" "$run" || fail 1
}
