#!/usr/bin/env bash
# Starts munged where the image has it. It takes a key only from a file that nobody but its own user can read, and fsGroup
# makes Kubernetes' 0400 a 0440. --force, because it refuses folders that all may write, and an emptyDir is one; in this
# container there is only this user.
set -euo pipefail

command -v munged >/dev/null || exit 0

if [[ ! -r $MINICLUSTER_MUNGE_KEY ]]; then
  printf 'error=user %s may not read the MUNGE key; set podSecurityContext.fsGroup to a group of that user\n' "$(id -u)" \
    >>"$MINICLUSTER_TERMINATION_LOG"
  exit 78
fi
own=$MINICLUSTER_RUN/munge
mkdir -p "$own"
chmod 700 "$own"
install -m 400 "$MINICLUSTER_MUNGE_KEY" "$own/munge.key"
if ! munged --force --key-file="$own/munge.key" --log-file="$own/munged.log" --pid-file="$own/munged.pid" \
  --seed-file="$own/munged.seed" 2>"$own/start.log"; then
  printf 'error=munged does not start: %s\n' "$(tail -n 1 "$own/start.log")" >>"$MINICLUSTER_TERMINATION_LOG"
  exit 78
fi
