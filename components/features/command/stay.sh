#!/usr/bin/env bash
# The initial program of a persistent cluster. A job may kill this script's processes, because it has the same user: they
# are restarted, and most signals are ignored. The broker sends SIGHUP when it ends: after `flux shutdown`,
# after a signal, or because a module has failed. supervise.sh decides by the broker's exit code and by the file
# "shutdown" or "failure" of this script.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

mc_child=
mc_keeper=
mc_delay=1

# Uses $!, because a signal may come before this script has saved the process id.
end() {
  [[ -z ${!:-} ]] || kill "$!"
  [[ -z $mc_child ]] || kill "$mc_child"
  [[ -z $mc_keeper ]] || kill -s KILL -- "-$mc_keeper"
} 2>/dev/null

# After the failure of a module, Flux 0.78 and later exit with the code of `flux shutdown`, whatever else has ended the
# broker before (state_machine_panic). So later failures are first kept from the exit code, and then the log is searched
# for an earlier one: for a line of the broker, not one of a job (flux logger). Without an answer, the end doesn't count as
# a shutdown.
note_reason() {
  local said failed=$'(^|\n)[^ \n]+ broker\\.crit\\[[0-9]+\\]: ([^\n]*module runtime failure)'
  timeout -s KILL 10 flux setattr broker.module-nopanic 1 && said=$(timeout -s KILL 10 flux dmesg) || return
  if [[ $said =~ $failed ]]; then
    printf '%s\n' "${BASH_REMATCH[2]}" >"$MINICLUSTER_RUN/failure"
  else
    mark shutdown
  fi
}

hang_up() {
  trap '' HUP
  # The exit code of a pod that was told to stop is known.
  has stopped || note_reason
  exit 0
}

trap end EXIT
trap hang_up HUP
# Not a trap with a command: if another signal arrives while bash runs it, bash 5.2 delays the trap of SIGHUP without end.
trap '' ALRM INT QUIT TERM USR1 USR2

# In a child process: no program gets the ignored signals of this script.
become() {
  trap - ALRM INT QUIT TERM USR1 USR2
  exec "$@"
}

# archive.sh ends with 0 if another pod has claimed the archive.
keep_archive() {
  until (become bash "$MINICLUSTER_SCRIPTS/archive.sh" keep); do
    (become sleep 1)
  done
}

serve() {
  if [[ -e $MINICLUSTER_SCRIPTS/restful.sh ]]; then
    become bash "$MINICLUSTER_SCRIPTS/restful.sh" serve
  fi
  become sleep infinity
}

mark quorum
if [[ -n ${MINICLUSTER_ARCHIVE_PERIOD:-} ]]; then
  # In its own process group, so that a running dump ends with it: the broker's end makes another dump.
  set -m
  keep_archive &
  mc_keeper=$!
  set +m
fi
[[ -e $MINICLUSTER_SCRIPTS/restful.sh ]] || mark ready
while :; do
  mc_started=$SECONDS
  serve &
  mc_child=$!
  wait "$mc_child" 2>/dev/null
  mc_code=$?
  # Before the first answer of the RESTful server, its failure is that of the start.
  has ready || ((mc_code > 128)) || exit "$mc_code"
  ((SECONDS - mc_started < 60)) || mc_delay=1
  become sleep "$mc_delay" &
  mc_child=$!
  wait "$mc_child" 2>/dev/null
  mc_delay=$((mc_delay < 16 ? mc_delay * 2 : 16))
done
