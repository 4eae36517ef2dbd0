#!/usr/bin/env bash
# lead.sh sources this file. The provider sends it in front of job.sh.

# Prints the number of CPUs in a list such as "0-3,8".
count_cpus() {
  local count=0 range
  for range in ${1//,/ }; do
    count=$((count + ${range#*-} - ${range%-*} + 1))
  done
  printf '%d\n' "$count"
}

# Tasks may be bound to cores only if no other pod uses them: either this pod has the node for itself, or the kubelet
# gave it a CPU set, which has as many CPUs as the limit. (Having fewer CPUs than the machine is no proof: some may be
# off.)
owns_cpus() {
  local name value
  [[ $MINICLUSTER_EXCLUSIVE != true ]] || return 0
  [[ -n ${MINICLUSTER_CPUS:-} ]] || return 1
  while read -r name value; do
    if [[ $name == Cpus_allowed_list: ]]; then
      [[ $(count_cpus "$value") == "$MINICLUSTER_CPUS" ]]
      return
    fi
  done </proc/self/status
  return 1
}
