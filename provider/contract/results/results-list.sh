#!/usr/bin/env bash
# Lists the files that match the patterns of results, in the folder in which the command or the job has started. What sources
# this file has a function fail_to.
# shellcheck disable=SC2034 # it reads them
shopt -s dotglob globstar nullglob
# Names are bytes.
export LC_ALL=C

# What a client fetches: the list, and a link to each file at its place. It is on the pod's disk.
readonly home=${MINICLUSTER_RESULTS_HOME:-${MINICLUSTER_STATE%/*}/results}
readonly list=$home/offer/list tree=$home/offer/files
# Files for one call of a program, and files in all.
readonly batch=500 most=100000
# Nanoseconds since 1970. A file that has not changed since then is none of the job's.
readonly since=${MINICLUSTER_RESULTS_SINCE:-}
count=0
bytes=0
older=0
# Sentences about what isn't kept.
reasons=()
declare -A seen=()
plain=()
links=()

list_files() {
  local rest=$MINICLUSTER_RESULTS$'\n'
  umask 022
  rm -rf -- "$home"
  { mkdir -p -- "$tree" && : >"$list"; } || fail_to "list them in $home" "the disk is full or read-only"
  while [[ -n $rest ]]; do
    find_files "${rest%%$'\n'*}"
    rest=${rest#*$'\n'}
  done
  measure_plain
  link_files
  ((older == 0)) || reasons+=("files that match are older than the job: $older")
}

# find PATTERN: adds what it matches. The shell only expands names here, and of its special characters only * and ?.
find_files() {
  local pattern=$1 found=() path IFS=
  if [[ $pattern == *[*?]* ]]; then
    pattern=${pattern//\\/\\\\}
    pattern=${pattern//\[/\\[}
    # shellcheck disable=SC2206
    found=($pattern)
  elif [[ -e $pattern || -L $pattern ]]; then
    found=("$pattern")
  fi
  ((${#found[@]})) || reasons+=("nothing matches $1")
  for path in ${found[@]+"${found[@]}"}; do
    if [[ -d $path ]]; then
      add_folder "$path"
    else
      add "$path"
    fi
  done
}

# All files in it. A link to it is followed because a pattern names it.
add_folder() {
  local path
  for path in "${1%/}"/**; do
    if [[ ! -d $path ]]; then
      add "$path"
    elif [[ -L ${path%/} && ${path%/} != "${1%/}" ]]; then
      leave "${path%/}" "is a link to a folder"
    elif [[ ! -r $path || ! -x $path ]]; then
      leave "$path" "can't be read"
    fi
  done
}

# A file may match several patterns.
add() {
  local place=/${1#/}
  if [[ -n ${seen[$place]+known} ]]; then
    [[ ${seen[$place]} == "$1" ]] || leave "$1" "would be at the place of ${seen[$place]}"
    return 0
  fi
  seen[$place]=$1
  if [[ ! -f $1 ]]; then
    leave "$1" "is no file"
  elif ((${#seen[@]} > most)); then
    ((${#seen[@]} > most + 1)) || reasons+=("only the first $most files are kept")
  elif [[ $1 == *[\\$'\n']* ]]; then
    # sha256sum writes such names in another way.
    measure "$1"
  else
    plain+=("$1")
    ((${#plain[@]} < batch)) || measure_plain
  fi
}

leave() {
  escape "$1"
  reasons+=("$escaped $2")
}

measure_plain() {
  local states sums=() index next=0 path
  ((${#plain[@]})) || return 0
  mapfile -t states < <(state_of "${plain[@]}" 2>/dev/null)
  if ((${#states[@]} == ${#plain[@]})); then
    for index in "${!plain[@]}"; do
      ! is_older "${states[index]}" || unset "plain[index]"
    done
    ((${#plain[@]})) || return 0
    mapfile -t sums < <(sha256sum -- "${plain[@]}" 2>/dev/null)
  fi
  if ((${#sums[@]} == ${#plain[@]})); then
    for index in "${!plain[@]}"; do
      enter "${plain[index]}" "${sums[next++]%% *}" "${states[index]%% *}"
    done
  else
    for path in "${plain[@]}"; do
      measure "$path"
    done
  fi
  plain=()
  link_files
}

measure() {
  local state sum
  if { state=$(state_of "$1"); } 2>/dev/null && is_older "$state"; then
    return 0
  elif [[ -n $state ]] && { sum=$(sha256sum <"$1"); } 2>/dev/null; then
    enter "$1" "${sum%% *}" "${state%% *}"
    link_files
  else
    leave "$1" "can't be read"
  fi
}

# The size of each file and, for a job, the time of its last change: a file may have been moved, with an older time of its content.
state_of() {
  stat -L -c "%s${since:+ %.9Z}" -- "$@"
}

is_older() {
  local changed=${1##* }
  [[ -n $since && $changed =~ ^[0-9]+\.[0-9]{9}$ && ${changed/./} -lt $since ]] || return 1
  older=$((older + 1))
}

# enter PATH SUM SIZE: into the list. Files of one folder are linked together.
enter() {
  local folder=/
  [[ ${1#/} != */* ]] || folder=/${1#/} folder=${folder%/*}
  [[ $folder == "${linked-}" ]] || link_files
  linked=$folder
  if [[ $1 == /* ]]; then links+=("$1"); else links+=("$PWD/$1"); fi
  escape "${1#/}"
  printf '%s %s %s %s\n' "$2" "$3" "$JOB_COMPLETION_INDEX" "$escaped" >>"$list"
  count=$((count + 1))
  bytes=$((bytes + $3))
}

link_files() {
  local said
  ((${#links[@]})) || return 0
  said=$({ mkdir -p -- "$tree$linked" && ln -sf -- "${links[@]}" "$tree$linked/"; } 2>&1) || fail_to "list them in $home" "$said"
  links=()
}

# Sets `escaped` to the name with \xHH for each byte that isn't printable ASCII, and for backslashes.
escape() {
  local index byte code
  escaped=$1
  [[ $1 == *[!\ -\[\]-~]* ]] || return 0
  escaped=
  for ((index = 0; index < ${#1}; index++)); do
    byte=${1:index:1}
    if [[ $byte == [\ -\[\]-~] ]]; then
      escaped+=$byte
    else
      printf -v code '%d' "'$byte"
      printf -v code '\\x%02x' $((code & 255))
      escaped+=$code
    fi
  done
}
