#!/usr/bin/env bash
# Runs one task of the command. Adds the variables of GPUs, and removes the marks with which lead.sh keeps Flux from
# replacing {{NAME}} in the words.
# The GPUs of the task, in the words of their vendor. Only some clusters have such a file.
for minicluster_file in "${0%/*}"/gpus-*.sh; do
  # shellcheck source=/dev/null
  [[ ! -e $minicluster_file ]] || source "$minicluster_file"
done
# Of the folders, only that of Flux' commands is in the environment of a job (submit.sh). An array has too many elements.
if [[ ${FLUX_EXEC_PATH_PREPEND:-} == */commands ]]; then
  minicluster_run=${FLUX_EXEC_PATH_PREPEND%/*}
  PATH=$PATH:$minicluster_run/bin
  if [[ -z ${FLUX_JOB_CC:-} ]]; then
    export MINICLUSTER_PROGRESS=$minicluster_run/progress/${FLUX_JOB_ID:-}
    # Not a child of the task, which may wait for all of its children.
    [[ ${FLUX_TASK_LOCAL_ID:-0} != 0 ]] ||
      (bash "${0%/*}/progress.sh" watch "$MINICLUSTER_PROGRESS" "$$" </dev/null &>/dev/null &)
  fi
fi
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
