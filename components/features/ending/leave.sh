#!/bin/sh
# preStop hook of a persistent cluster. A follower drains its rank, and the lead stops the queue. Then running jobs get
# drainTimeout to end and are cancelled. Without that, Flux needs 25 s to end a job that lost a rank
# (flux-config-exec(5), 5 * kill-timeout), and the pod may end before Flux has recorded the job's end.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

use_flux
rank=$JOB_COMPLETION_INDEX
patience=${MINICLUSTER_DRAIN_TIMEOUT:-}
# Seconds that a cancelled job has to end. Tasks that ignore SIGTERM get SIGKILL after 5 s.
cancelled=8

# True if there are pending or running jobs: without --force the command only counts them. A cluster without jobs
# needn't wait for the commands that follow, some of which are Python programs.
has_jobs() {
  case $(try_flux job raiseall --severity=0 cancel 2>&1) in
  *"Command matched 0 jobs"*) false ;;
  *"Command matched "*) true ;;
  *) false ;;
  esac
}

lead_leaves() {
  has_jobs || return 0
  # --nocheckpoint: an archive must not keep the stopped queue.
  try_flux queue stop --all --nocheckpoint --quiet
  [ -z "$patience" ] || timeout "$patience" flux queue idle --quiet
  try_flux job raiseall --force --severity=0 --states=RUN cancel "$mc_leaving"
  timeout "$cancelled" flux queue idle --quiet
}

# wait_for SECONDS JOB: waits for the job's end.
wait_for() {
  timeout "$1" flux job wait-event --quiet "$2" clean
}

# If the job has ended meanwhile, Flux refuses the exception.
end_job() {
  [ -z "$patience" ] || wait_for "$patience" "$1"
  try_flux job raise --severity=0 --type=cancel --message="$mc_leaving" "$1"
  wait_for "$cancelled" "$1"
}

# Flux refuses to drain a rank twice. If elastic.py has drained this rank, the new time of the drain tells it that the
# pod leaves, so that it doesn't undrain the rank. The drain of an administrator stays as it is.
drain_again() {
  case $(try_flux resource drain --no-header --include="$rank" --format='{reason}') in
  "$mc_leaving") try_flux resource drain --force --force "$rank" "$mc_leaving" ;;
  esac
}

follower_leaves() {
  try_flux resource drain "$rank" "$mc_leaving"
  code=$?
  if [ "$code" != 0 ] && [ -e "$MINICLUSTER_SCRIPTS/elastic.py" ]; then
    drain_again
    code=$?
  fi
  has_jobs || return "$code"
  for job in $(try_flux jobs --no-header --count=0 --filter=running --include="$rank" --format='{id.dec}'); do
    end_job "$job" &
  done
  wait
}

# supervise.sh starts no other broker, and elastic.py no job.
mark leaving
if [ "$rank" = 0 ]; then
  lead_leaves
else
  follower_leaves
fi
