#!/usr/bin/env bash
# Puts results into a volume. What sources this file has the variables of results-list.sh and a function fail_to.
# shellcheck disable=SC2154 # the variables of results-list.sh

# put FOLDER: copies the files beside it and renames them. The folder that was there stays until then. SIGTERM doesn't end
# this: the pod has its time for that.
put() {
  local -r target=$1
  local -r draft=${target%/*}/.${target##*/}.minicluster
  local said
  ((count)) || return 0
  # Of a pod that was killed between the two renames.
  [[ -e $target || ! -e $draft.old ]] || mv -T -- "$draft.old" "$target"
  rm -rf -- "$draft.old"
  # All ranks have copied theirs already.
  if [[ -z ${MINICLUSTER_RESULTS_RANKS:-} ]] && ! said=$(copy_to "$draft" 2>&1); then
    rm -rf -- "$draft"
    fail_to "copy them to $target" "$said"
  fi
  [[ ! -e $target ]] || said=$(mv -T -- "$target" "$draft.old" 2>&1) || fail_to "replace $target" "$said"
  if ! said=$(mv -T -- "$draft" "$target" 2>&1); then
    [[ ! -e $draft.old ]] || mv -T -- "$draft.old" "$target"
    fail_to "put them at $target" "$said"
  fi
  rm -rf -- "$draft.old"
}

copy_to() {
  mkdir -p -- "${1%/*}" && rm -rf -- "$1" && mkdir -- "$1" && cp -RL -- "$tree/." "$1"
}
