#!/usr/bin/env bash
# The scheduler of the cluster: scheduler.sh check|load. start.sh checks that the image has its modules. Flux' own start
# then loads no scheduler, because each version has its own way to choose one, and lead.sh loads it by this script.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"
add_view

# find_module NAME: prints the module's file. In a view, other packages have their modules in a folder of the view.
find_module() {
  local folder folders suffix
  folders=$(flux env printenv FLUX_MODULE_PATH):${MINICLUSTER_VIEW:-}/lib/flux/modules:${MINICLUSTER_VIEW:-}/lib64/flux/modules
  while [[ -n $folders ]]; do
    folder=${folders%%:*}
    folders=${folders#"$folder"}
    folders=${folders#:}
    for suffix in so py; do
      if [[ -e $folder/$1.$suffix ]]; then
        printf '%s\n' "$folder/$1.$suffix"
        return
      fi
    done
  done
  return 1
}

need_module() {
  find_module "$1" >/dev/null ||
    fail 78 "the image has no scheduler $MINICLUSTER_SCHEDULER: there is no module $1 on Flux' FLUX_MODULE_PATH"
}

load_module() {
  local error file
  file=$(find_module "$1")
  shift
  error=$(flux module load "$file" "$@" 2>&1) ||
    fail 78 "Flux can't load the scheduler $MINICLUSTER_SCHEDULER: ${error//$'\n'/; }"
}

check() {
  if [[ $MINICLUSTER_SCHEDULER == fluxion ]]; then
    need_module sched-fluxion-resource
    need_module sched-fluxion-qmanager
  else
    need_module "$MINICLUSTER_SCHEDULER"
  fi
}

# The options are those of Fluxion's own start.
load() {
  if [[ $MINICLUSTER_SCHEDULER != fluxion ]]; then
    load_module "$MINICLUSTER_SCHEDULER"
    return
  fi
  load_module sched-fluxion-resource load-allowlist=node,core,gpu
  ! find_module sched-fluxion-feasibility >/dev/null ||
    load_module sched-fluxion-feasibility load-allowlist=node,core,gpu
  load_module sched-fluxion-qmanager
}

"$1"
