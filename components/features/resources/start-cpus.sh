#!/usr/bin/env bash
# Finds the CPUs of this pod. Writes what Flux' broker and its job shells have to know about them:
# rc            the file of the job shells, if other pods may use the same CPUs
# quota         thousandths of a CPU that the container's quota gives it, if there is a quota, which Flux doesn't see
# topology.xml  the CPUs, if Flux has to bind tasks to hyper-threads (cpus-topology.sh)
set -euo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# The CPUs on which this container may run: a list such as "0-3,8", and their number.
mc_list=
mc_count=0
# Empty without a quota.
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

# Tasks may be bound only if no other pod uses their CPUs: either this pod has the node for itself, or the kubelet gave it
# a CPU set, which has as many CPUs as the limit. (Having fewer CPUs than the machine is no proof: some may be off.)
owns_cpus() {
  [[ $MINICLUSTER_EXCLUSIVE == true || ${MINICLUSTER_CPUS:-} == "$mc_count" ]]
}

# Brokers that share a node don't know each other, so each would bind its first task to the first core. The job shells
# bind tasks here only if a job asks for it: each job reads the file that the broker names in conf.shell_initrc, whatever
# its environment is. Brokers that jobs start get the file by a script of FLUX_RC_EXTRA. The file stands for Flux' own or
# the user's, beside a copy of that one's folder lua.d.
bind_off() {
  local folder=$MINICLUSTER_RUN/rc attributes=$'\n'${MINICLUSTER_ATTRIBUTES:-} file rc
  add_view
  file=$(flux config builtin shell_initrc) || :
  if [[ $attributes == *$'\n'conf.shell_initrc=* ]]; then
    file=${attributes##*$'\n'conf.shell_initrc=}
    file=${file%%$'\n'*}
  fi
  rc=$folder/rc1.d/bind-off
  mkdir -p "$folder/rc1.d"
  cp -R "${file%/*}/lua.d" "$folder" 2>/dev/null || :
  # shellcheck disable=SC2016 # for the script
  printf '#!/bin/sh\n[ "$(flux getattr conf.shell_initrc)" != "%s" ] || flux setattr conf.shell_initrc "%s"\n:\n' \
    "$file" "$folder/initrc.lua" >"$rc"
  chmod 700 "$rc"
  {
    printf '%s\n' 'if shell.options["cpu-affinity"] == nil then shell.options["cpu-affinity"] = "off" end'
    # Not in a folder in which no program can run.
    [[ ! -x $rc ]] || printf '%s\n' "local folder, extra = \"$folder\", shell.getenv (\"FLUX_RC_EXTRA\") or \"\"" \
      'if not (":" .. extra .. ":"):find (":" .. folder .. ":", 1, true) then' \
      'shell.setenv ("FLUX_RC_EXTRA", extra == "" and folder or extra .. ":" .. folder)' 'end'
    printf 'source_if_exists ("%s")\n' "$file"
  } >"$folder/initrc.lua"
}

rm -rf "$MINICLUSTER_RUN"/{quota,rc,topology.xml}
find_cpus
optional cpus-compare.sh
[[ -z ${MINICLUSTER_DETECT_HOSTS:-} || -z $mc_quota ]] || printf '%d\n' "$mc_quota" >"$MINICLUSTER_RUN/quota"
if owns_cpus; then
  optional cpus-topology.sh
else
  bind_off
fi
