#!/bin/sh
# preStop hook of a persistent cluster. A follower that leaves takes its rank out of scheduling, and the lead stops the queue.
# Then running jobs get the time that was asked for and are cancelled: a job that loses its ranks while it runs takes Flux
# 25 s to end (flux-config-exec(5), 5 * kill-timeout), and what the job becomes may not be recorded in time.
if [ -e "$MINICLUSTER_RUN/paths.env" ]; then
  # shellcheck source=/dev/null
  . "$MINICLUSTER_RUN/paths.env"
elif [ -n "${MINICLUSTER_VIEW:-}" ]; then
  export PATH="$PATH:$MINICLUSTER_VIEW/bin"
fi
rank=$JOB_COMPLETION_INDEX
patience=${MINICLUSTER_DRAIN_TIMEOUT:-}
reason="the pod is leaving"
# Seconds that a cancelled job gets. Tasks that ignore SIGTERM get SIGKILL after 5 s.
cancelled=8

# A Flux that doesn't answer must not use up the time that the broker needs for its own end.
answer() {
  timeout 3 flux "$@"
}

# Asks for the number of pending and running jobs, without --force. What follows elsewhere are programs in Python, for which a
# cluster without jobs needn't wait.
has_jobs() {
  case $(answer job raiseall --severity=0 cancel 2>&1) in
  *"Command matched 0 jobs"*) false ;;
  *"Command matched "*) true ;;
  *) false ;;
  esac
}

lead_leaves() {
  has_jobs || return 0
  # Not for ever: an archive would keep it.
  answer queue stop --all --nocheckpoint --quiet
  [ -z "$patience" ] || timeout "$patience" flux queue idle --quiet
  answer job raiseall --force --severity=0 --states=RUN cancel "$reason"
  timeout "$cancelled" flux queue idle --quiet
}

# wait_for SECONDS JOB
wait_for() {
  timeout "$1" flux job wait-event --quiet "$2" clean
}

# One that has ended meanwhile is refused.
end_job() {
  [ -z "$patience" ] || wait_for "$patience" "$1"
  answer job raise --severity=0 --type=cancel --message="$reason" "$1"
  wait_for "$cancelled" "$1"
}

follower_leaves() {
  : >"$MINICLUSTER_RUN/leaving"
  answer resource drain "$rank" "$reason"
  code=$?
  has_jobs || return "$code"
  for job in $(answer jobs --no-header --count=0 --filter=running --include="$rank" --format='{id.dec}'); do
    end_job "$job" &
  done
  wait
}

if [ "$rank" = 0 ]; then
  lead_leaves
else
  follower_leaves
fi
