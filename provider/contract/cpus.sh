#!/usr/bin/env bash
# Sourced by lead.sh; job.sh has it in front.

# How many CPUs a list such as "0-3,8" has.
count_cpus() {
  local count=0 range
  for range in ${1//,/ }; do
    count=$((count + ${range#*-} - ${range%-*} + 1))
  done
  printf '%d\n' "$count"
}

# Binding to cores is right only where no other pod may use them: the node is ours, or the kubelet gave us a CPU set, which
# has as many CPUs as the limit. (Fewer CPUs than the machine could have prove nothing: some may be off.)
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
