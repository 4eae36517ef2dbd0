#!/usr/bin/env bash
# The processes of this pod's broker, which outlive a broker that is killed: tasks, their shells, the initial program.
# supervise.sh sources this file. Only builtins of bash: an image may have no ps.

# Every process that a broker starts inherits this. Tasks have their environment from the jobspec instead.
readonly mc_broker_mark=MINICLUSTER_BROKER=$MINICLUSTER_RUN/broker

# kind_of PID sets `kind`: task, broker (Flux's own processes), or nothing. Environments name the broker's folder by FLUX_URI.
# The script of a nested instance has the FLUX_URI of that instance, wherever its folder is.
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

# With hostPID the processes of other pods are there, too. A task may have a mount namespace of its own (Apptainer), which is
# no doubt where all processes are this container's.
is_here() {
  [[ /proc/1/ns/mnt -ef /proc/$$/ns/mnt ]] || shares_mounts "$1"
}

shares_mounts() {
  [[ /proc/$1/ns/mnt -ef /proc/$$/ns/mnt ]]
}

# Of a job of this container, unless the container itself is one.
is_nested() {
  [[ -z ${FLUX_ENCLOSING_ID:-} ]] && shares_mounts "$1"
}

# Sets parents[PID].
read_parents() {
  local folder pid text
  parents=()
  for folder in /proc/[0-9]*; do
    pid=${folder##*/}
    text=
    { IFS= read -r -d '' text <"$folder/stat"; } 2>/dev/null
    # The name of a program may have spaces and parentheses.
    text=${text##*) ? }
    [[ -n $text ]] || continue
    parents[pid]=${text%% *}
  done
}

# belongs PID KIND: whether a process, or one that it descends from, is of that kind (a task is the broker's too). Those of
# `kubectl exec`, whose parent is 0, are a user's own.
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

# end_processes task|broker: until there are none, since a process may start another one meanwhile.
end_processes() {
  local found end=$((SECONDS + 5))
  while ((SECONDS < end)); do
    find_processes "$1"
    ((${#found[@]})) || return 0
    kill -s KILL "${found[@]}" 2>/dev/null
    sleep 0.1
  done
}

# Gives the tasks the 5 s that Flux gives them: flux-config-exec(5), kill-timeout.
stop_tasks() {
  local found end=$((SECONDS + 5))
  find_processes task
  ((${#found[@]})) || return 0
  kill -s TERM "${found[@]}" 2>/dev/null
  while ((${#found[@]} && SECONDS < end)); do
    sleep 0.1
    find_processes task
  done
}
