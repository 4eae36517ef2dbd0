#!/bin/sh
# The container's first process: prints in one line what the image lacks, runs start.sh, and decides on the container's
# exit code. It is written for any sh, because the image may have no bash. It sets no variable before the start: the
# user may have a variable of the same name, and the command would get the changed one.
set -u

# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

# The trap makes the file `stopped`, by which start.sh knows that a signal has come: a start.sh that is still a copy of
# this shell gets no signal. A file that is there now comes from an earlier run of the container in this pod. The file
# has no text, because a job may have filled the disk.
! has stopped || rm -f "$MINICLUSTER_RUN/stopped"
# shellcheck disable=SC2317 # the trap calls it
stop() {
  mark stopped
  heard=1
  [ -z "${!:-}" ] || kill -s TERM "$!" 2>/dev/null
}
trap stop HUP INT QUIT TERM

add_view
printf '%9999s' '' >"$MINICLUSTER_RUN/report" ||
  fail 78 "user $(id -u) can't write 10 kB to $MINICLUSTER_RUN: it is full, read-only or another user's"
mark report
mark hook
mark started
mark spare.stopped
mark spare.leaving
mark spare.shutdown

# A signal ends `wait`, which then is called again. Some shells have forgotten the process by then, and return 127.
await() {
  code=127
  while
    heard=
    wait "$!"
    last=$?
    [ "$last" = 127 ] || code=$last
    [ -n "$heard" ]
  do :; done
}

# Kubernetes never recreates the pod of an index that ended with 0, so only the broker may end with 0.
judge() {
  [ ! -s "$MINICLUSTER_RUN/started" ] || return 0
  if has stopped; then
    [ "$code" != 0 ] || code=143
    return 0
  fi
  if [ -s "$MINICLUSTER_RUN/hook" ]; then
    read -r hook <"$MINICLUSTER_RUN/hook"
    said="the $hook hook ended the start with exit code $code"
    [ "$code" != 0 ] || said="$said; a hook has to end without exit and exec"
    report_error "$said"
    repeat_reports
  fi
  said=$(bash -c 'echo "bash $BASH_VERSION"' 2>&1)
  case $said in
  *"bash "4.[2-9]* | *"bash "[5-9].*) ;;
  *) fail 78 "$(command -v bash) doesn't work as bash 4.2 or later: it says ${said:-nothing}; BASH_ENV is ${BASH_ENV:-unset}" ;;
  esac
  # 79 is unused: the codes of sysexits.h end at 78.
  [ "$code" != 0 ] || code=79
}

# In a subshell, because it sets variables. An init hook may add programs, so start.sh looks for the others after it.
(
  [ ! -e "$MINICLUSTER_SCRIPTS/hook-init.sh" ] || MINICLUSTER_PROGRAMS="bash rm"
  # shellcheck disable=SC2086 # each a word
  need_programs $MINICLUSTER_PROGRAMS
) || exit
[ -e "$MINICLUSTER_CERTIFICATE" ] ||
  fail 78 "there is no certificate at $MINICLUSTER_CERTIFICATE"
[ -s "$MINICLUSTER_CERTIFICATE" ] ||
  fail 78 "the certificate $MINICLUSTER_CERTIFICATE is empty; it needs the text of a file that flux keygen writes"
[ -r "$MINICLUSTER_CERTIFICATE" ] ||
  fail 78 "user $(id -u) may not read $MINICLUSTER_CERTIFICATE; leave its volume out of \
podTemplate, or set podSecurityContext.fsGroup to a group of that user"

! has stopped || exit 143
bash "$MINICLUSTER_SCRIPTS/start.sh" "$@" &
await
judge
exit "$code"
