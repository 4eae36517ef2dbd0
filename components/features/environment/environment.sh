#!/usr/bin/env bash
# Decides which variables of this pod reach jobs, and how; start.sh runs it. Flux copies the environment of the program
# that submits a job into the jobspec, which Flux keeps, and gives it to the tasks of all ranks. Variables that are secret
# or that differ between ranks must not travel in it. submit.sh leaves them out, and the job shells of each rank add
# their own rank's values (rank.lua). Variables that hooks have exported or changed travel, because brokers and launchers
# need them. So the job shells replace a value that a job has from the rank that submitted it.
# A user's variable may have any name without the prefix mc_. A local variable hides it from here and from programs, so
# while its value is read, all variables of this script have that prefix.
set -euo pipefail

# Variables of one rank: Kubernetes sets the first two, device plugins the others.
readonly mc_of_rank="HOSTNAME JOB_COMPLETION_INDEX FLUX_FAKE_HOSTNAME
NVIDIA_VISIBLE_DEVICES HABANA_VISIBLE_DEVICES NEURON_RT_VISIBLE_CORES TPU_WORKER_ID ${!PCIDEVICE_@}"

# The commands of Flux that copy their environment.
readonly mc_submitters="run submit batch alloc bulksubmit"

# Variables that bash or Flux sets by itself, or that have a place of their own here.
readonly mc_others="_ PWD OLDPWD SHLVL BASHOPTS SHELLOPTS FLUX_URI FLUX_EXEC_PATH_PREPEND FLUX_SHELL_RC_PATH
FLUX_MINICLUSTER_OWN"

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
  local mc_name mc_overwrite
  for mc_name in $mc_of_rank ${MINICLUSTER_RANK_ENVIRONMENT:-}; do
    [[ " ${mc_of_rank//$'\n'/ } " == *" $mc_name "* ]] && mc_overwrite=1 || mc_overwrite=0
    [[ -z ${!mc_name+x} ]] ||
      printf 'shell.setenv ("%s", %s, %d)\n' "$mc_name" "$(lua_text "${!mc_name}")" "$mc_overwrite"
  done
  # The folder that start.sh has made, for a job that was submitted without it.
  [[ ${TMPDIR:-} != "${MINICLUSTER_STATE%/*}/tmp" ]] || printf 'shell.setenv ("TMPDIR", %s, 0)\n' "$(lua_text "$TMPDIR")"
}

# Keeps the environment before the hooks, if there are hooks. The image may lack programs that a hook brings, so here are
# none.
keep() {
  umask 077
  for mc_name in "$MINICLUSTER_SCRIPTS"/hook-*.sh; do
    [[ -e $mc_name ]] || return 0
  done
  for mc_name in $(compgen -e); do
    printf '%s=%s\0' "$mc_name" "${!mc_name}"
  done >"$MINICLUSTER_RUN/before"
}

# Sets mc_own to the variables that hooks have exported or changed, mc_same to the others, and mc_before to all values
# before the hooks.
find_own() {
  local mc_entry mc_name mc_skipped=" $mc_others $mc_of_rank ${MINICLUSTER_RANK_ENVIRONMENT:-} "
  mc_skipped=${mc_skipped//$'\n'/ }
  while IFS= read -r -d '' mc_entry; do
    mc_before[${mc_entry%%=*}]=${mc_entry#*=}
  done <"$MINICLUSTER_RUN/before"
  while IFS= read -r -d '' mc_entry; do
    mc_name=${mc_entry%%=*}
    [[ $mc_name =~ ^[A-Za-z_][A-Za-z0-9_]*$ && $mc_name != MINICLUSTER_* && $mc_skipped != *" $mc_name "* ]] || continue
    if [[ -n ${mc_before[$mc_name]+x} && ${mc_before[$mc_name]} == "${mc_entry#*=}" ]]; then
      mc_same[$mc_name]=${mc_entry#*=}
    else
      mc_own[$mc_name]=${mc_entry#*=}
    fi
  done < <(cat /proc/self/environ)
}

# Writes the lines of rank.lua for these variables. A job that was submitted on a rank has that rank's values, and in
# FLUX_MINICLUSTER_OWN which they are: such a value is replaced by this rank's, or removed. Any other value comes from the
# user, and stays.
own_variables() {
  local name value all=$'\n'
  printf '%s\n' \
    'local theirs, mine = shell.getenv ("FLUX_MINICLUSTER_OWN") or "", {}' \
    'local function copied (name)' \
    'local given = shell.getenv (name)' \
    'return given ~= nil and theirs:find ("\n" .. name .. "=" .. given .. "\n", 1, true) ~= nil' \
    'end' \
    'local function same (name, value)' \
    'mine[name] = true' \
    'if copied (name) then shell.setenv (name, value) end' \
    'end' \
    'local function own (name, value, before)' \
    'mine[name] = true' \
    'local given = shell.getenv (name)' \
    'if given == nil or given == before or copied (name) then shell.setenv (name, value) end' \
    'end'
  for name in "${!mc_same[@]}"; do
    printf 'same ("%s", %s)\n' "$name" "$(lua_text "${mc_same[$name]}")"
  done
  for name in "${!mc_own[@]}"; do
    value=$(lua_text "${mc_own[$name]}")
    [[ -z ${mc_before[$name]+x} ]] || value+=", $(lua_text "${mc_before[$name]}")"
    printf 'own ("%s", %s)\n' "$name" "$value"
    all+=$name=${mc_own[$name]}$'\n'
  done
  printf '%s\n' \
    'for name in theirs:gmatch ("\n([%a_][%w_]*)=") do' \
    'if not mine[name] and copied (name) then shell.unsetenv (name) end' \
    'end'
  printf 'shell.setenv ("FLUX_MINICLUSTER_OWN", %s)\n' "$(lua_text "$all")"
  printf '%s' "$all" >"$MINICLUSTER_RUN/own"
}

main() {
  local mc_script mc_name mc_has_hooks='' mc_commands=$MINICLUSTER_RUN/commands
  local -A mc_before=() mc_own=() mc_same=()
  umask 077
  mkdir -p "$mc_commands" "$MINICLUSTER_RUN/shell"
  rm -f "$MINICLUSTER_RUN/own"
  if [[ -e $MINICLUSTER_RUN/before ]]; then
    mc_has_hooks=yes
    find_own
    rm "$MINICLUSTER_RUN/before"
  fi
  {
    shell_variables
    [[ -z $mc_has_hooks ]] || own_variables
  } >"$MINICLUSTER_RUN/shell/rank.lua"
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

${1:-main}
