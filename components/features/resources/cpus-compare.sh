#!/usr/bin/env bash
# shellcheck disable=SC2154 # start-cpus.sh sets mc_count, mc_list and mc_quota
# Says what this pod has got, if it is less than what the arguments ask for; start-cpus.sh sources this file.

# in_cpus THOUSANDTHS: prints 1500 as 1.5.
in_cpus() {
  local text
  printf -v text '%d.%03d' "$(($1 / 1000))" "$(($1 % 1000))"
  while [[ $text == *.*0 ]]; do
    text=${text%0}
  done
  printf '%s\n' "${text%.}"
}

((${mc_quota:-$MINICLUSTER_CPUS_ASKED} >= MINICLUSTER_CPUS_ASKED)) ||
  say "asked for $(in_cpus "$MINICLUSTER_CPUS_ASKED") CPUs, but the quota of the container is $(in_cpus "$mc_quota"): \
a LimitRange, a webhook or a resize has set this limit (docs/cpus.md)"
((mc_count == 0 || mc_count >= ${MINICLUSTER_CORES:-0})) ||
  say "Flux counts $MINICLUSTER_CORES cores in this rank, but it may use $mc_count CPUs ($mc_list): see cores in docs/cpus.md"
