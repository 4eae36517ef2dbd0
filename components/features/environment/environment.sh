#!/usr/bin/env bash
# Decides which variables of this pod reach jobs, and how; start.sh runs it. Flux copies the environment of the program
# that submits a job into the jobspec, which Flux keeps, and gives it to the tasks of all ranks. Variables that are secret
# or that differ between ranks must not travel in it. submit.sh leaves them out, and the job shells of each rank add
# their own rank's values (rank.lua).
set -euo pipefail

# Variables of one rank: Kubernetes sets the first two, device plugins the last three.
readonly of_rank="HOSTNAME JOB_COMPLETION_INDEX FLUX_FAKE_HOSTNAME
NVIDIA_VISIBLE_DEVICES HABANA_VISIBLE_DEVICES NEURON_RT_VISIBLE_CORES"

# The commands of Flux that copy their environment.
readonly submitters="run submit batch alloc bulksubmit"

# Quotes a text for Lua. In a locale of several bytes for a character, bash would copy the rest of the text for each
# replacement.
lua_text() {
  local LC_ALL=C text=$1 slash=\\ quote=\"
  text=${text//"$slash"/"$slash$slash"}
  text=${text//"$quote"/"$slash$quote"}
  text=${text//$'\n'/"${slash}n"}
  text=${text//$'\r'/"${slash}r"}
  printf '"%s"' "$text"
}

# A value that the user gives to a job replaces a secret, but no value of a rank.
shell_variables() {
  local name overwrite
  for name in $of_rank ${MINICLUSTER_RANK_ENVIRONMENT:-}; do
    [[ " ${of_rank//$'\n'/ } " == *" $name "* ]] && overwrite=1 || overwrite=0
    [[ -z ${!name+x} ]] || printf 'shell.setenv ("%s", %s, %d)\n' "$name" "$(lua_text "${!name}")" "$overwrite"
  done
}

main() {
  local name script commands=$MINICLUSTER_RUN/commands
  umask 077
  mkdir -p "$commands" "$MINICLUSTER_RUN/shell"
  shell_variables >"$MINICLUSTER_RUN/shell/rank.lua"
  # shellcheck disable=SC2086 # names, each a word
  printf 'unset %s\n' $of_rank ${MINICLUSTER_RANK_ENVIRONMENT:-} >"$commands/unset.sh"
  # The scripts of the ConfigMap have lost their first line with the comments.
  script=$(<"$MINICLUSTER_SCRIPTS/submit.sh")
  for name in $submitters; do
    printf '#!/bin/sh\n%s\n' "$script" >"$commands/flux-$name"
  done
  chmod 700 "$commands"/flux-*
}

main
