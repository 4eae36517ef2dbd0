#!/usr/bin/env bash
# Starts munged if the image has it. munged refuses a key file that other users can read. With fsGroup, Kubernetes
# changes the mode 0400 to 0440, so munged gets a copy. It also refuses folders that all users may write to, such as an
# emptyDir; --force permits them, because this container has only one user.
set -euo pipefail

command -v munged >/dev/null || exit 0

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

if [[ ! -r $MINICLUSTER_MUNGE_KEY ]]; then
  fail 78 "user $(id -u) may not read the MUNGE key; set podSecurityContext.fsGroup to a group of that user"
fi
own=$MINICLUSTER_RUN/munge
mkdir -p "$own"
chmod 700 "$own"
install -m 400 "$MINICLUSTER_MUNGE_KEY" "$own/munge.key"
if ! munged --force --key-file="$own/munge.key" --log-file="$own/munged.log" --pid-file="$own/munged.pid" \
  --seed-file="$own/munged.seed" 2>"$own/start.log"; then
  said=$(<"$own/start.log")
  fail 78 "munged does not start: ${said##*$'\n'}"
fi
