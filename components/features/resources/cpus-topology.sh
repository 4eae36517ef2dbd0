#!/usr/bin/env bash
# shellcheck disable=SC2154 # start-cpus.sh sets mc_list
# Writes the topology of this pod's CPUs for Flux, if Flux counts more cores than they have because it counts their
# hyper-threads. start-cpus.sh sources this file. In this topology each thread is a core. The first threads of all cores
# come first, because Flux takes cores in their order, and hwloc sorts those of a package.

# The CPUs, and their numbers by thread: the first one of each core, then the second.
mc_cpus=()
mc_threads=()
mc_cores=0

# In a sandbox without these files, each CPU is a core.
find_threads() {
  local range cpu core thread file
  local -A found=()
  for range in ${mc_list//,/ }; do
    for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
      core=$cpu
      file=/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list
      [[ ! -r $file ]] || read -r core <"$file" || :
      thread=${found[$core]:-0}
      found[$core]=$((thread + 1))
      mc_threads[thread]+=" $cpu"
      mc_cpus+=("$cpu")
    done
  done
  mc_cores=${#found[@]}
}

# cpu_mask CPU...: sets mc_mask to the set of these CPUs, as hwloc writes it.
cpu_mask() {
  local cpu word words=() text=
  for cpu; do
    word=$((cpu / 32))
    words[word]=$((${words[word]:-0} | 2 ** (cpu % 32)))
  done
  for ((word = mc_cpus[${#mc_cpus[@]} - 1] / 32; word >= 0; word--)); do
    printf -v text '%s%s0x%08x' "$text" "${text:+,}" "${words[word]:-0}"
  done
  mc_mask=$text
}

# object TYPE NUMBER END CPU...: prints an object up to its end.
object() {
  local mc_mask
  cpu_mask "${@:4}"
  printf '<object type="%s" os_index="%d" cpuset="%s" complete_cpuset="%s" nodeset="0x1" complete_nodeset="0x1"%s\n' \
    "$1" "$2" "$mc_mask" "$mc_mask" "$3"
}

write_topology() {
  local thread cpu mc_mask
  cpu_mask "${mc_cpus[@]}"
  printf '%s\n' '<?xml version="1.0" encoding="UTF-8"?>' '<topology version="2.0">'
  object Machine 0 " allowed_cpuset=\"$mc_mask\" allowed_nodeset=\"0x1\">" "${mc_cpus[@]}"
  object NUMANode 0 '/>' "${mc_cpus[@]}"
  for thread in "${!mc_threads[@]}"; do
    # shellcheck disable=SC2086 # numbers, each a word
    object Package "$thread" '>' ${mc_threads[thread]}
    for cpu in ${mc_threads[thread]}; do
      object Core "$cpu" '>' "$cpu"
      object PU "$cpu" '/></object>' "$cpu"
    done
    printf '</object>\n'
  done
  printf '</object>\n</topology>\n'
}

find_threads
((mc_cores == 0 || MINICLUSTER_CORES <= mc_cores)) || write_topology >"$MINICLUSTER_RUN/topology.xml"
