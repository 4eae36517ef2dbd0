#!/usr/bin/env bash
# The end of processes.sh in a cluster whose command gets a notice. A pod that Kubernetes ends without its preStop hook,
# for example because its node lacks memory, gives the notice before it ends its tasks. Otherwise Flux would see tasks
# that fail, and would end the others after 30 s.

mc_definition=$(declare -f stop_tasks)
eval "end_tasks ${mc_definition#stop_tasks}"
unset mc_definition

stop_tasks() {
  # The hook may have had too little time. start.sh has unset FLUX_URI.
  [[ -e $MINICLUSTER_RUN/told ]] ||
    FLUX_URI=local://$MINICLUSTER_RUN/broker/local sh "$MINICLUSTER_SCRIPTS/notice.sh"
  end_tasks
}
