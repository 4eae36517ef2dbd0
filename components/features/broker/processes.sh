#!/usr/bin/env bash
# Finds and ends the processes that a killed broker of this pod leaves behind: tasks, their shells, the initial program.
# supervise.sh and lead.sh source this file after run.sh. It uses only builtins of bash, because an image may have no ps.

# Every process that the broker starts inherits this variable, but tasks: they have the environment of their jobspec.
readonly mc_broker_mark=MINICLUSTER_BROKER=$MINICLUSTER_RUN/broker

# kind_of PID sets `kind`: task, broker (Flux's own processes), or nothing. FLUX_URI in their environment names the
# broker's folder. The script of a nested instance has that instance's FLUX_URI, with another folder.
kind_of() {
  local word named=
  kind=
  while IFS= read -r -d '' word; do
    case $word in
    "$mc_broker_mark") [[ -n $kind ]] || kind=broker ;;
    FLUX_JOB_ID=*) kind=task ;;
    FLUX_ENCLOSING_ID=*) ! is_nested "$1" || named=yes kind=task ;;
    esac
    [[ $word != *"$MINICLUSTER_RUN/broker"* ]] || named=yes
  done <"/proc/$1/environ"
  if [[ -z $named ]] || ! is_here "$1"; then
    kind=
  fi
} 2>/dev/null

# With hostPID, the processes of other pods are visible too, and only those with this container's mount namespace count.
# A task may have its own mount namespace (Apptainer), which doesn't matter if all visible processes are this
# container's.
is_here() {
  [[ /proc/1/ns/mnt -ef /proc/$$/ns/mnt ]] || shares_mounts "$1"
}

shares_mounts() {
  [[ /proc/$1/ns/mnt -ef /proc/$$/ns/mnt ]]
}

# is_nested PID: true for a process of a job of this container. If the container itself runs in a job, no process is
# nested.
is_nested() {
  [[ -z ${FLUX_ENCLOSING_ID:-} ]] && shares_mounts "$1"
}

# Sets parents[PID] for each process.
read_parents() {
  local folder parent
  parents=()
  for folder in /proc/[0-9]*; do
    read_stat "${folder##*/}"
    [[ -z $parent ]] || parents[${folder##*/}]=$parent
  done
}

# read_stat PID sets `parent`, and `born`, in ticks since the node's start, which is empty for a process that has ended.
read_stat() {
  local text=
  parent='' born=''
  { IFS= read -r -d '' text <"/proc/$1/stat"; } 2>/dev/null
  # The name of a program may have spaces and parentheses.
  text=${text##*) }
  [[ -n $text ]] || return 0
  # shellcheck disable=SC2086 # numbers, behind the state
  set -- $text
  parent=$2
  [[ $1 == [XZ] ]] || born=${20}
}

# note_birth PID: the broker has started. Only what started later can be left of it.
note_birth() {
  local parent born
  read_stat "$1"
  mc_born=$born
}

# is_daemon PID: true for a process that has left its parents and the variables of the pod's processes, as a daemon does
# that a task has started with an empty environment. Only known where the pod's first process is its own.
is_daemon() {
  local parent born
  [[ -n ${mc_born:-} && ${parents[$1]} == 1 ]] || return 1
  read_stat "$1"
  [[ -n $born ]] && ((born > mc_born)) && names_pod 1 && ! names_pod "$1" && [[ -r /proc/$1/environ ]] && shares_mounts "$1"
}

names_pod() {
  local word
  while IFS= read -r -d '' word; do
    [[ $word != "MINICLUSTER_RUN=$MINICLUSTER_RUN" ]] || return 0
  done <"/proc/$1/environ"
  return 1
} 2>/dev/null

# belongs PID KIND: true if a process or one of its ancestors is of that kind (a task also counts as the broker's).
# Processes of `kubectl exec`, whose parent is 0, belong to the user and not to the broker.
belongs() {
  local pid=$1 is=
  while ((pid > 1 && pid != $$)); do
    case ${kinds[pid]:-} in
    "$2" | task) is=yes ;;
    esac
    pid=${parents[pid]:-1}
    ((pid)) || return 1
  done
  [[ -n $is ]]
}

# find_processes task|broker sets `found`.
find_processes() {
  local kind pid parents kinds=()
  found=()
  read_parents
  for pid in "${!parents[@]}"; do
    kind_of "$pid"
    [[ -n $kind ]] || ! is_daemon "$pid" || kind=task
    kinds[pid]=$kind
  done
  for pid in "${!parents[@]}"; do
    ! belongs "$pid" "$1" || found+=("$pid")
  done
}

# has_children PID
has_children() {
  local pid parents
  read_parents
  for pid in "${!parents[@]}"; do
    [[ ${parents[pid]} != "$1" ]] || return 0
  done
  return 1
}

# kill_broker PID: for a child of the broker, which ends too. First the broker stops: it would log that its other children
# have ended, and they would complain about a broker that has gone.
kill_broker() {
  local pid parents killed=()
  kill -s STOP "$1"
  read_parents
  for pid in "${!parents[@]}"; do
    [[ ${parents[pid]} != "$1" || $pid == "$$" ]] || killed+=("$pid")
  done
  killed+=("$1" "$$")
  kill -s KILL "${killed[@]}" 2>/dev/null
}

# end_processes task|broker: kills until there are none, because a process may start another one meanwhile.
end_processes() {
  local found end=$((SECONDS + 5))
  while ((SECONDS < end)); do
    find_processes "$1"
    ((${#found[@]})) || return 0
    kill -s KILL "${found[@]}" 2>/dev/null
    sleep 0.1
  done
}

# Tasks get 5 s to end, as in Flux (flux-config-exec(5), kill-timeout), or what another grace period leaves them.
stop_tasks() {
  local found end
  end=$((SECONDS + ${MINICLUSTER_TASK_SECONDS:-5}))
  find_processes task
  ((${#found[@]})) || return 0
  kill -s TERM "${found[@]}" 2>/dev/null
  while ((${#found[@]} && SECONDS < end)); do
    sleep 0.1
    find_processes task
  done
}
