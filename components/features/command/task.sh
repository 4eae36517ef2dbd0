#!/usr/bin/env bash
# Runs one task of the command. Adds the variables of GPUs, and removes the marks with which lead.sh keeps Flux from
# replacing {{NAME}} in the words.
# The GPUs of the task, in the words of their vendor. Only some clusters have such a file.
for minicluster_file in "${0%/*}"/gpus-*.sh; do
  # shellcheck source=/dev/null
  [[ ! -e $minicluster_file ]] || source "$minicluster_file"
done
# Variables, because bash 4.2 keeps quotes in a replacement. No task uses these names.
minicluster_marked=$'{\001'
minicluster_plain='{'

# bash doesn't tell where it has looked, nor which interpreter it lacks. Once on each rank.
minicluster_explain() {
  local program=$1 line=
  [[ ${FLUX_TASK_LOCAL_ID:-0} == 0 ]] || return
  if [[ $program != */* ]] && ! program=$(type -P "$1"); then
    printf 'minicluster: there is no program "%s" on PATH (%s) of %s\n' "$1" "$PATH" "$HOSTNAME" >&2
  elif { IFS= read -r line <"$program"; } 2>/dev/null && [[ $line =~ ^#!\ ?([^ ]+) && ! -x ${BASH_REMATCH[1]} ]]; then
    printf 'minicluster: %s has no %q, the interpreter of %s\n' "$HOSTNAME" "${BASH_REMATCH[1]}" "$program" >&2
  fi
}
shopt -s execfail
set -- "${@//$minicluster_marked/$minicluster_plain}"
# shellcheck disable=SC2093 # the script continues if exec fails
exec "$@"
minicluster_code=$?
minicluster_explain "$1"
exit "$minicluster_code"
