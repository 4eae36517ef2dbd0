#!/usr/bin/env bash
# What a pod does before it ends: it tells Flux that its rank leaves, and ends its jobs in order. leave.sh runs this as the
# preStop hook, with the words of the user's own hook, which gets the environment of the container. If Kubernetes could not
# start the hook, for example because a job has taken all processes of the pod, supervise.sh sources this file at SIGTERM.
# No answer of Flux means that jobs may run.

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"
# shellcheck source=components/features/ending/ask.sh
source "$MINICLUSTER_SCRIPTS/ask.sh"
# They define `rescue`.
for mc_steps in "$MINICLUSTER_SCRIPTS"/{drain,notice}.sh; do
  # shellcheck source=/dev/null
  [[ ! -e $mc_steps ]] || source "$mc_steps"
done

# The end of the hook's part of the grace period, and the seconds for which jobs may run. The rest of the period is for the
# end of the broker. At SIGTERM, the hook has had its time, or Kubernetes has given the pod less: hardly any is left, which
# is for the cancellation.
if [[ $0 != */rescue.sh ]] && has leaving; then
  mc_until=$((SECONDS + 2))
  mc_drain=0
  # Two can't read from one relay, so a hook that still runs gives way.
  { read -r mc_hook <"$MINICLUSTER_RUN/leaving" && kill -s TERM "$mc_hook"; } 2>/dev/null
else
  mc_until=$((SECONDS + MINICLUSTER_LEAVE_SECONDS))
  # shellcheck disable=SC2034 # drain.sh reads it
  mc_drain=${MINICLUSTER_DRAIN_TIMEOUT:-0}
  mark leaving
fi
mc_patience=$(((mc_until - SECONDS + 3) / 4))
mc_error=0
mc_looks=0

# end_hook CODE: the user's own hook follows.
end_hook() {
  trap - ALRM HUP INT QUIT TERM USR1 USR2
  mark leaving
  ((${#mc_own[@]} == 0)) || exec "${mc_own[@]}"
  exit "$1"
}

if [[ $0 == */rescue.sh ]]; then
  mc_own=("$@")
  # wait.sh makes this mark at the pod's SIGTERM. Any other signal is a job's, such as `pkill bash`.
  trap '! has stopped || end_hook 143' ALRM HUP INT QUIT TERM USR1 USR2
  # On a full disk, the mark stays empty.
  { printf '%d\n' "$$" >"$MINICLUSTER_RUN/leaving"; } 2>/dev/null
fi

# find_relay: false if there is none. A job may have killed it. supervise.sh starts no process here: that could fail.
find_relay() {
  local wait=0.2 number
  open_relay && return 0
  [[ $0 == */rescue.sh ]] && start_relay 0 && open_relay || return 1
  # The relay greets as soon as it is connected.
  until read_number 1; do
    if ! relay_lives || ((SECONDS >= mc_until)); then
      mc_asks=
      return 1
    fi
  done
}

# by_command WORD...: runs flux, in place of a request.
by_command() {
  (use_flux && exec timeout "$((mc_until > SECONDS ? mc_until - SECONDS : 1))" flux "$@")
}

# A rank that has not joined, or has lost the lead, has no job that can be ended in order: EAGAIN, ENOSYS, EHOSTUNREACH. If
# the relay has ended, there may be a new one.
is_apart() {
  if ((mc_error == -1)); then
    ! find_relay
  else
    ((mc_error == 11 || mc_error == 38 || mc_error == 113))
  fi
}

# Waits a moment before the next look at the jobs.
look_later() {
  mc_looks=$((mc_looks + 1))
  if [[ -z $mc_asks ]]; then
    (use_flux && exec sleep 0.5)
  elif ((mc_looks < 10)); then
    hear 0.1
  else
    hear 1
  fi
}

# Without a socket there is no broker.
if [[ -S $MINICLUSTER_RUN/broker/local ]]; then
  if find_relay || [[ $0 == */rescue.sh ]]; then
    [[ -n $mc_asks ]] || say "flux relay doesn't run; this pod leaves by commands of Flux, which need more time"
    rescue
  fi
fi
mc_code=$?
[[ $0 != */rescue.sh ]] || end_hook "$mc_code"
