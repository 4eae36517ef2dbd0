#!/usr/bin/env bash
# What precedes the end of tasks in a cluster whose command gets a notice; processes.sh sources this file. A pod that
# Kubernetes ends without its preStop hook, for example because its node lacks memory, gives the notice before it ends its
# tasks. Otherwise Flux would see tasks that fail, and would end the others after 30 s.

before_tasks_end() {
  # The hook may have had too little time. start.sh has unset FLUX_URI.
  has told ||
    FLUX_URI=local://$MINICLUSTER_RUN/broker/local sh "$MINICLUSTER_SCRIPTS/notice.sh"
}
