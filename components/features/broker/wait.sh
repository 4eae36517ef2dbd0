#!/bin/sh
# The container's first process: says in one line what the image lacks, runs start.sh, and decides with which code the
# container ends. Plain sh, because bash is one of the things that may be missing. It sets no variable before the start: a
# variable of the same name may be the user's, and would reach the command changed.
set -u

# Of a container that was started again in its pod. Before the trap, which tells start.sh by a file: one that is still a
# copy of this shell hears no signal.
printf '' >"$MINICLUSTER_RUN/stopped"
# shellcheck disable=SC2317 # the trap calls it
stop() {
  printf 'yes\n' >"$MINICLUSTER_RUN/stopped"
  heard=1
  [ -z "${!:-}" ] || kill -s TERM "$!" 2>/dev/null
}
trap stop HUP INT QUIT TERM

is_stopped() {
  [ -s "$MINICLUSTER_RUN/stopped" ]
}

printf '' >"$MINICLUSTER_RUN/hook"
printf '' >"$MINICLUSTER_RUN/started"
# shellcheck source=components/parts/flux.sh
. "$MINICLUSTER_SCRIPTS/flux.sh"

# A signal ends `wait`, which then has to be called again; a shell may have forgotten by then what it has told already.
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

# Success is the broker's to tell: Kubernetes never makes the pod of an index again that has ended with 0.
judge() {
  [ ! -s "$MINICLUSTER_RUN/started" ] || return 0
  if is_stopped; then
    [ "$code" != 0 ] || code=143
    return 0
  fi
  if [ -s "$MINICLUSTER_RUN/hook" ]; then
    read -r hook <"$MINICLUSTER_RUN/hook"
    said="the $hook hook ended the start with exit code $code"
    [ "$code" != 0 ] || said="$said; a hook has to end without exit and exec"
    printf 'minicluster: %s\n' "$said" >&2
    printf 'error=%s\n' "$said" >>"$MINICLUSTER_TERMINATION_LOG"
  fi
  # sysexits.h ends at 78.
  [ "$code" != 0 ] || code=79
}

command -v bash >/dev/null 2>&1 ||
  missing "the image has no bash; install bash in it"
[ -e "$MINICLUSTER_CERTIFICATE" ] ||
  missing "there is no certificate at $MINICLUSTER_CERTIFICATE"
[ -r "$MINICLUSTER_CERTIFICATE" ] ||
  missing "user $(id -u) may not read $MINICLUSTER_CERTIFICATE; set podSecurityContext.fsGroup to a group of that user"

! is_stopped || exit 143
bash "$MINICLUSTER_SCRIPTS/start.sh" "$@" &
await
judge
exit "$code"
