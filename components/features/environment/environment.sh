#!/usr/bin/env bash
# Decides which variables of this pod reach jobs, and how; start.sh runs it. Flux copies the environment of the program
# that submits a job into the jobspec, which Flux keeps, and gives it to the tasks of all ranks. Variables that are secret
# or that differ between ranks must not travel in it. submit.sh leaves them out, and the job shells of each rank add
# their own rank's values (rank.lua). own.sh adds those of hooks.
# A user's variable may have any name without the prefix mc_. A local variable hides it from here and from programs, so
# while its value is read, all variables of this script have that prefix.
set -euo pipefail

# Variables of one rank: Kubernetes sets the first two, device plugins and references to fields of the pod the others.
readonly mc_of_rank="HOSTNAME JOB_COMPLETION_INDEX FLUX_FAKE_HOSTNAME ${MINICLUSTER_RANK_FIELDS:-}
NVIDIA_VISIBLE_DEVICES HABANA_VISIBLE_DEVICES NEURON_RT_VISIBLE_CORES TPU_WORKER_ID ${!PCIDEVICE_@}"

# The commands of Flux that copy their environment.
readonly mc_submitters="run submit batch alloc bulksubmit exec"

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

# for_exec FUNCTION NAME VALUE...: writes a line of the script for `flux exec` (exec.sh).
for_exec() {
  local LC_ALL=C text quote=\' escaped=\'\\\'\'
  printf '%s %s' "$1" "$2"
  for text in "${@:3}"; do
    text=${text//"$quote"/"$escaped"}
    printf " '%s'" "$text"
  done
  echo
} >&3

# A value that the user gives to a job replaces a secret, but no value of a rank.
shell_variables() {
  local mc_name mc_overwrite mc_set
  for mc_name in $mc_of_rank ${MINICLUSTER_RANK_ENVIRONMENT:-}; do
    [[ " ${mc_of_rank//$'\n'/ } " == *" $mc_name "* ]] && mc_overwrite=1 || mc_overwrite=0
    [[ -n ${!mc_name+x} ]] || continue
    printf 'shell.setenv ("%s", %s, %d)\n' "$mc_name" "$(lua_text "${!mc_name}")" "$mc_overwrite"
    ((mc_overwrite)) && mc_set=set_to || mc_set=own
    for_exec "$mc_set" "$mc_name" "${!mc_name}"
  done
  # The folder that start.sh has made, for a job that was submitted without it.
  [[ ${TMPDIR:-} != "${MINICLUSTER_STATE%/*}/tmp" ]] || printf 'shell.setenv ("TMPDIR", %s, 0)\n' "$(lua_text "$TMPDIR")"
}

main() {
  local mc_script mc_name mc_commands=$MINICLUSTER_RUN/commands
  umask 077
  mkdir -p "$mc_commands" "$MINICLUSTER_RUN/shell"
  {
    printf '#!/bin/sh\n%s\n' "$(<"$MINICLUSTER_SCRIPTS/exec.sh")" >&3
    shell_variables
    # shellcheck source=components/features/environment/own.sh
    [[ ! -e $MINICLUSTER_RUN/before ]] || source "$MINICLUSTER_SCRIPTS/own.sh"
    for_exec own FLUX_EXEC_PATH_PREPEND "$mc_commands"
    printf 'exec "$@"\n' >&3
  } >"$MINICLUSTER_RUN/shell/rank.lua" 3>"$mc_commands/own"
  # shellcheck disable=SC2086 # names, each a word
  printf 'unset %s\n' $mc_of_rank ${MINICLUSTER_RANK_ENVIRONMENT:-} >"$mc_commands/unset.sh"
  # The scripts of the ConfigMap have lost their first line with the comments.
  mc_script=$(<"$MINICLUSTER_SCRIPTS/submit.sh")
  for mc_name in $mc_submitters; do
    printf '#!/bin/sh\n%s\n' "$mc_script" >"$mc_commands/flux-$mc_name"
  done
  {
    printf '#!/bin/sh\nmc_cluster=%s mc_run=%s mc_scripts=%s\n' "${MINICLUSTER_LEAD%-lead}" "$MINICLUSTER_RUN" \
      "$MINICLUSTER_SCRIPTS"
    cat "$MINICLUSTER_SCRIPTS/ssh.sh"
  } >"$mc_commands/ssh"
  chmod 700 "$mc_commands"/*
}

main
