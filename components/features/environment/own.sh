#!/usr/bin/env bash
# The variables that hooks have exported or changed on this rank; start.sh runs it before the hooks (own.sh keep), and
# environment.sh sources it after them. They are in jobspecs, because brokers and launchers need them. So the job shells
# replace a value that a job has from the rank that submitted it.
# Variables have the prefix mc_ for the reason that environment.sh gives.
# shellcheck disable=SC2154 # mc_of_rank of environment.sh

# Variables that bash or Flux sets by itself, or that have a place of their own here.
readonly mc_others="_ PWD OLDPWD SHLVL BASHOPTS SHELLOPTS FLUX_URI FLUX_EXEC_PATH_PREPEND FLUX_SHELL_RC_PATH
FLUX_MINICLUSTER_OWN"

# Keeps the environment before the hooks. The image may lack programs that a hook brings, so here are none.
keep() {
  umask 077
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
    for_exec same "$name" "${mc_same[$name]}"
  done
  for name in "${!mc_own[@]}"; do
    value=$(lua_text "${mc_own[$name]}")
    [[ -z ${mc_before[$name]+x} ]] || value+=", $(lua_text "${mc_before[$name]}")"
    printf 'own ("%s", %s)\n' "$name" "$value"
    for_exec own "$name" "${mc_own[$name]}" ${mc_before[$name]+"${mc_before[$name]}"}
    all+=$name=${mc_own[$name]}$'\n'
  done
  printf '%s\n' \
    'for name in theirs:gmatch ("\n([%a_][%w_]*)=") do' \
    'if not mine[name] and copied (name) then shell.unsetenv (name) end' \
    'end'
  printf 'shell.setenv ("FLUX_MINICLUSTER_OWN", %s)\n' "$(lua_text "$all")"
  for_exec own FLUX_MINICLUSTER_OWN "$all"
  printf '%s' "$all" >"$MINICLUSTER_RUN/own"
}

if [[ ${1:-} == keep ]]; then
  keep
else
  declare -A mc_before=() mc_own=() mc_same=()
  find_own
  rm "$MINICLUSTER_RUN/before"
  own_variables
fi
