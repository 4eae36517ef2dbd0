#!/usr/bin/env bash
# The end of a pod of a persistent cluster; rescue.sh sources this file. A follower drains its rank, and the lead stops the
# queue. Then running jobs get drainTimeout to end and are cancelled. Without that, Flux needs 25 s to end a job that lost
# a rank (flux-config-exec(5), 5 * kill-timeout), and the pod may end before Flux has recorded the job's end.
# shellcheck disable=SC2154 # variables of ask.sh, run.sh and rescue.sh

mc_rank=$JOB_COMPLETION_INDEX
# States of jobs: src/common/libjob/job.h
mc_active=62
mc_running=48
mc_run=16

rescue() {
  # SECONDS counts the clock's whole seconds, so the first one may be short.
  local patience=$((SECONDS + mc_drain + (mc_drain > 0))) settled='' code=0 told=' ' none=''
  # The last second is for the cancellation.
  ((patience < mc_until)) || patience=$((mc_until - 1))
  while ((SECONDS < mc_until)); do
    if [[ -z $settled ]]; then
      close_rank
      code=$?
      # A refusal is an answer, too.
      [[ -n $mc_asks ]] && ((code && mc_error <= 0)) || settled=yes
    fi
    if find_jobs; then
      if ((mc_jobs)); then
        none=
      elif is_idle || { [[ -n $none ]] && ((SECONDS > none)); }; then
        [[ -z $settled ]] || mark told
        return "$code"
      else
        none=${none:-$((SECONDS + 1))}
      fi
    elif is_apart; then
      return "$code"
    else
      none=
    fi
    # The lead cancels all running jobs once, so not before there is one.
    [[ -n $none ]] || ((SECONDS < patience)) || cancel_jobs
    look_later
  done
  return "$code"
}

# Flux tells of a running job some time after the scheduler has given it this rank: the drain doesn't wait for that. So
# while there are other jobs, no job is believed only after a second or two. Flux' commands take that long anyway.
is_idle() {
  [[ -z $mc_asks ]] || { count_jobs "$mc_active" && ((mc_jobs == 0)); }
}

# No new job starts here.
close_rank() {
  if ((mc_rank)); then
    drain_rank
  elif [[ -n $mc_asks ]]; then
    # An archive must not keep the stopped queue.
    ask job-manager.queue-start '{"start":false,"all":true,"nocheckpoint":true}'
  else
    by_command queue stop --all --nocheckpoint --quiet
  fi
}

# Flux refuses to drain a rank twice. If elastic.py has drained this rank, the new time of the drain tells it that the
# pod leaves, so that it doesn't undrain the rank. The drain of an administrator stays as it is.
drain_rank() {
  if [[ -z $mc_asks ]]; then
    by_command resource drain "$mc_rank" "$mc_leaving" && return 0
    [[ -e $MINICLUSTER_SCRIPTS/elastic.py ]] || return 1
    [[ $(by_command resource drain --no-header --include="$mc_rank" --format='{reason}') != "$mc_leaving" ]] ||
      by_command resource drain --force --force "$mc_rank" "$mc_leaving"
  else
    request_drain && return 0
    ((mc_error == 17)) && [[ -e $MINICLUSTER_SCRIPTS/elastic.py ]] || return 1
    ask resource.status '{}' || return 1
    ! was_drained_for "$mc_leaving" || request_drain ',"mode":"force-overwrite"'
  fi
}

request_drain() {
  ask resource.drain "{\"targets\":\"$mc_rank\",\"reason\":\"$mc_leaving\"${1:-}}"
}

# was_drained_for REASON: reads the answer of resource.status.
was_drained_for() {
  local drained=${mc_json#*\"drain\":} ids entry
  # A text in JSON may have braces.
  entry='^[{,]"([0-9,-]+)":(\{("([^"\\]|\\.)*"|[^"{}])*\})'
  while [[ $drained =~ $entry ]]; do
    drained=${drained#"${BASH_REMATCH[0]}"}
    ids=${BASH_REMATCH[1]}
    [[ ${BASH_REMATCH[2]} != *"\"reason\":\"$1\""* ]] || ! has_rank "$ids" || return 0
  done
  return 1
}

# has_rank IDSET: true if it has this rank: 0,3-5.
has_rank() {
  local part rest=$1,
  while [[ -n $rest ]]; do
    part=${rest%%,*}
    rest=${rest#*,}
    ((${part%-*} > mc_rank || mc_rank > ${part#*-})) || return 0
  done
  return 1
}

# Sets mc_jobs to the number of running jobs, of this rank or of all. False if Flux doesn't tell it.
find_jobs() {
  if ((mc_rank == 0)); then
    count_jobs "$mc_running"
  elif [[ -z $mc_asks ]]; then
    mc_ids=$(by_command jobs --no-header --count=0 --filter=running --include="$mc_rank" --format='{id.dec}') || return 1
    count_ids
  else
    ask job-list.list "{\"max_entries\":0,\"attrs\":[],\
\"constraint\":{\"and\":[{\"states\":[$mc_running]},{\"ranks\":[\"$mc_rank\"]}]}}" || return 1
    mc_ids=${mc_json//[!0-9]/ }
    count_ids
  fi
}

count_ids() {
  local id
  mc_jobs=0
  for id in $mc_ids; do
    mc_jobs=$((mc_jobs + 1))
  done
}

# count_jobs STATES sets mc_jobs. Without a relay it counts the running ones.
count_jobs() {
  local said matched='matched ([0-9]+) jobs' count='"count": ?([0-9]+)'
  if [[ -z $mc_asks ]]; then
    # Without --force the command only counts.
    said=$(by_command job raiseall --severity=0 --states=RUNNING cancel 2>&1)
    [[ $said =~ $matched ]] || return 1
  else
    raise_all true "$1" && [[ $mc_json =~ $count ]] || return 1
  fi
  mc_jobs=${BASH_REMATCH[1]}
}

# raise_all DRY STATES
raise_all() {
  ask job-manager.raiseall \
    "{\"dry_run\":$1,\"userid\":-1,\"states\":$2,\"severity\":0,\"type\":\"cancel\",\"note\":\"$mc_leaving\"}"
}

# Cancels each job once. If a job has ended meanwhile, Flux refuses that.
cancel_jobs() {
  local id
  if ((mc_rank == 0)); then
    [[ $told == ' ' ]] || return 1
    if [[ -z $mc_asks ]]; then
      by_command job raiseall --force --severity=0 --states=RUN cancel "$mc_leaving" || return 1
    else
      raise_all false "$mc_run" || return 1
    fi
    told=all
    return 0
  fi
  for id in ${mc_ids:-}; do
    [[ $told != *" $id "* ]] || continue
    if [[ -z $mc_asks ]]; then
      by_command job raise --severity=0 --type=cancel --message="$mc_leaving" "$id"
    else
      raise tell "$id" 0 cancel "$mc_leaving"
    fi
    told+="$id "
  done
}
