#!/usr/bin/env bash
# Finds the CPUs of this pod. Writes what Flux' broker and its job shells have to know about them:
# rc            a script for the broker (bind-off.sh), if other pods may use the same CPUs
# cores         the cores of all ranks, if the arguments don't say their number and there is a quota, which Flux doesn't see
# topology.xml  the CPUs, if Flux has to bind tasks to hyper-threads (cpus-topology.sh)
set -euo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# The CPUs on which this container may run: a list such as "0-3,8", and their number.
mc_list=
mc_count=0
# The thousandths of a CPU that the quota of the container gives it; empty without a quota.
mc_quota=

# optional SCRIPT: sources a script that only some clusters have.
optional() {
  # shellcheck source=/dev/null
  [[ ! -e $MINICLUSTER_SCRIPTS/$1 ]] || source "$MINICLUSTER_SCRIPTS/$1"
}

find_cpus() {
  local name value range most='' period='' cgroup=/sys/fs/cgroup
  while read -r name value; do
    [[ $name != Cpus_allowed_list: ]] || mc_list=$value
  done </proc/self/status
  for range in ${mc_list//,/ }; do
    mc_count=$((mc_count + ${range#*-} - ${range%-*} + 1))
  done
  # The first file is of cgroup v2, the others are of v1.
  { read -r most period <$cgroup/cpu.max ||
    { read -r most <$cgroup/cpu/cpu.cfs_quota_us && read -r period <$cgroup/cpu/cpu.cfs_period_us; }; } 2>/dev/null || :
  [[ ! $most =~ ^[0-9]+$ ]] || mc_quota=$((most * 1000 / period))
}

write_cores() {
  ((mc_quota < mc_count * 1000)) || return 0
  ((mc_quota < 2000)) && printf '0\n' || printf '0-%d\n' "$((mc_quota / 1000 - 1))"
} >"$MINICLUSTER_RUN/cores"

# Tasks may be bound only if no other pod uses their CPUs: either this pod has the node for itself, or the kubelet gave it
# a CPU set, which has as many CPUs as the limit. (Having fewer CPUs than the machine is no proof: some may be off.)
owns_cpus() {
  [[ $MINICLUSTER_EXCLUSIVE == true || ${MINICLUSTER_CPUS:-} == "$mc_count" ]]
}

# The scripts of the ConfigMap have lost their first line with the comments.
write_rc() {
  local folder=$MINICLUSTER_RUN/rc/rc1.d
  mkdir -p "$folder"
  printf '#!/bin/sh\n%s\n' "$(<"$MINICLUSTER_SCRIPTS/bind-off.sh")" >"$folder/bind-off"
  chmod 700 "$folder/bind-off"
  if [[ ! -x $folder/bind-off ]]; then
    rm -rf "$MINICLUSTER_RUN/rc"
    say "no program can run in $MINICLUSTER_RUN (noexec), so Flux binds tasks to cores"
  fi
}

rm -rf "$MINICLUSTER_RUN"/{cores,rc,topology.xml}
find_cpus
optional cpus-compare.sh
[[ -z ${MINICLUSTER_DETECT_HOSTS:-} || -z $mc_quota ]] || write_cores
if owns_cpus; then
  optional cpus-topology.sh
else
  write_rc
fi
