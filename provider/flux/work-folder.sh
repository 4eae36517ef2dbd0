#!/usr/bin/env bash
# Starts a task of a FluxJob with code and results in a copy of its files that stays on the pod's disk: work-folder.sh PREFIX WORD...
# The first task on a rank makes the copy in the folder PREFIX and the job's id, whose first letter Flux writes in two ways.
set -- "$1${FLUX_JOB_ID/#ƒ/f}" "${@:2}"
mkdir -p -- "$1" || exit
(
  flock 9 || exit
  [[ ! -d $1/work ]] || exit 0
  rm -rf -- "$1/new" && cp -Rp -- "$FLUX_JOB_TMPDIR/." "$1/new" && mv -- "$1/new" "$1/work"
) 9>"$1/lock" || exit
cd -- "$1/work" || exit
shift
exec "$@"
