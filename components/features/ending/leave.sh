#!/bin/sh
# preStop hook of a persistent cluster. A follower drains its rank, and the lead stops the queue. Then running jobs get
# drainTimeout to end and are cancelled. Without that, Flux needs 25 s to end a job that lost a rank
# (flux-config-exec(5), 5 * kill-timeout), and the pod may end before Flux has recorded the job's end.
if [ -e "$MINICLUSTER_RUN/paths.env" ]; then
  # shellcheck source=/dev/null
  . "$MINICLUSTER_RUN/paths.env"
elif [ -n "${MINICLUSTER_VIEW:-}" ]; then
  export PATH="$PATH:$MINICLUSTER_VIEW/bin"
fi
rank=$JOB_COMPLETION_INDEX
patience=${MINICLUSTER_DRAIN_TIMEOUT:-}
reason="the pod is leaving"
# Seconds that a cancelled job has to end. Tasks that ignore SIGTERM get SIGKILL after 5 s.
cancelled=8

# If Flux doesn't answer, this script must leave the broker time for its own end.
answer() {
  timeout 3 flux "$@"
}

# True if there are pending or running jobs: without --force the command only counts them. A cluster without jobs
# needn't wait for the commands that follow, some of which are Python programs.
has_jobs() {
  case $(answer job raiseall --severity=0 cancel 2>&1) in
  *"Command matched 0 jobs"*) false ;;
  *"Command matched "*) true ;;
  *) false ;;
  esac
}

lead_leaves() {
  has_jobs || return 0
  # --nocheckpoint: an archive must not keep the stopped queue.
  answer queue stop --all --nocheckpoint --quiet
  [ -z "$patience" ] || timeout "$patience" flux queue idle --quiet
  answer job raiseall --force --severity=0 --states=RUN cancel "$reason"
  timeout "$cancelled" flux queue idle --quiet
}

# wait_for SECONDS JOB: waits for the job's end.
wait_for() {
  timeout "$1" flux job wait-event --quiet "$2" clean
}

# If the job has ended meanwhile, Flux refuses the exception.
end_job() {
  [ -z "$patience" ] || wait_for "$patience" "$1"
  answer job raise --severity=0 --type=cancel --message="$reason" "$1"
  wait_for "$cancelled" "$1"
}

# Flux refuses to drain a rank twice. If elastic.py has drained this rank, the new time of the drain tells it that the
# pod leaves, so that it doesn't undrain the rank. The drain of an administrator stays as it is.
drain_again() {
  case $(answer resource drain --no-header --include="$rank" --format='{reason}') in
  "$reason") answer resource drain --force --force "$rank" "$reason" ;;
  esac
}

follower_leaves() {
  answer resource drain "$rank" "$reason"
  code=$?
  if [ "$code" != 0 ] && [ -e "$MINICLUSTER_SCRIPTS/elastic.py" ]; then
    drain_again
    code=$?
  fi
  has_jobs || return "$code"
  for job in $(answer jobs --no-header --count=0 --filter=running --include="$rank" --format='{id.dec}'); do
    end_job "$job" &
  done
  wait
}

# supervise.sh starts no other broker, and elastic.py no job.
: >"$MINICLUSTER_RUN/leaving"
if [ "$rank" = 0 ]; then
  lead_leaves
else
  follower_leaves
fi
