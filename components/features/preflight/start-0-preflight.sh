#!/usr/bin/env bash
# Runs the user's checks in their order, before the broker starts. A failed check ends the pod. If the cluster may start
# without this rank, its pod stays instead, without a broker. The file "preflight" has the name and the seconds of each
# check. A signal ends start.sh and the container, so this script has no traps.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

# The checks get exported variables of this script, so no name here may be a user's.
readonly mc_folder=$MINICLUSTER_RUN/preflight
# Characters of the line that a failed check has printed last.
readonly mc_longest=300

# Runs a check in its own process group. Prints the group, and then the exit code. The group is known before the check can
# end this process.
watch_check() {
  set -m
  {
    printf '%s\n' "$BASHPID"
    exec bash "$MINICLUSTER_SCRIPTS/preflight-$1.sh" </dev/null &>"$mc_folder/output"
  } &
  wait "$!"
  printf '%s\n' "$?"
} 2>/dev/null

# pass_on NAME: passes the output of a check on to the pod's log, and keeps the last line that has a text. It lives on
# together with a process that has left the check's group, beside the next check.
pass_on() {
  local mc_line
  while IFS= read -r mc_line || [[ -n $mc_line ]]; do
    printf '%s\n' "$mc_line" >&2
    mc_line=${mc_line//[[:cntrl:]]/}
    [[ -z ${mc_line//[[:space:]]/} ]] || printf '%s\n' "${mc_line:0:mc_longest}" 2>/dev/null >"$mc_folder/last-$1"
  done
}

# run_check NAME SECONDS: false if the check fails; mc_reason has the reason then.
run_check() {
  local mc_answers mc_group mc_code mc_lines
  rm -rf "$mc_folder"
  mkdir "$mc_folder"
  mkfifo "$mc_folder/output"
  exec {mc_lines}< <(pass_on "$1" <"$mc_folder/output")
  exec {mc_answers}< <(watch_check "$1")
  read -r -u "$mc_answers" mc_group
  # Not `wait`: a check that hangs in a file system may not end at SIGKILL either.
  mc_reason="it did not end within $2 s"
  read -r -t "$2" -u "$mc_answers" mc_code || (($? > 128)) || mc_reason="it ended the process that ran it"
  kill -s KILL -- "-$mc_group" 2>/dev/null
  # Until the end of the output. A process that has left the group may keep the pipe open.
  read -r -t 2 -u "$mc_lines"
  exec {mc_answers}<&- {mc_lines}<&-
  [[ -n $mc_code ]] || return
  mc_reason="it printed nothing and ended with exit code $mc_code"
  [[ ! -s $mc_folder/last-$1 ]] || read -r mc_reason <"$mc_folder/last-$1"
  [[ $mc_code == 0 ]]
}

# The lead never stays out. Only a cluster that may start with fewer ranks has joined.sh, the readiness probe that
# repeats the reason to Kubernetes.
refuse() {
  [[ $JOB_COMPLETION_INDEX != 0 && -e $MINICLUSTER_SCRIPTS/joined.sh ]] || fail 78 "$1"
  printf '%s\n' "$1" >"$MINICLUSTER_RUN/out"
  # Not as an error: the cluster doesn't end because of this rank.
  report out "$1"
  say "$1; this rank stays out of the cluster"
  mark ready
  exec sleep infinity
}

# If the container was restarted in its pod, these are old.
rm -f "$MINICLUSTER_RUN"/{out,probed}
while read -r mc_name mc_seconds; do
  run_check "$mc_name" "$mc_seconds" ||
    refuse "preflight check $mc_name failed on rank $JOB_COMPLETION_INDEX: ${mc_reason%.}"
done <"$MINICLUSTER_SCRIPTS/preflight"
rm -rf "$mc_folder"
