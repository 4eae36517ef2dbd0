#!/usr/bin/env bash
# Makes the folder in which programs tell how far they are, and puts the command for it where task.sh and lead.sh look.
set -euo pipefail

umask 077
mkdir -p "$MINICLUSTER_RUN/progress" "$MINICLUSTER_RUN/bin"
# progress.sh of a follower tells the lead, whose log has the progress of the command.
[[ $MINICLUSTER_MODE == persistent || $JOB_COMPLETION_INDEX == 0 ]] || : >"$MINICLUSTER_RUN/progress/follower"
# The scripts of the ConfigMap have lost their first line with the comments.
script=$(<"$MINICLUSTER_SCRIPTS/minicluster-progress.sh")
printf '#!/bin/sh\n%s\n' "$script" >"$MINICLUSTER_RUN/bin/minicluster-progress"
chmod 700 "$MINICLUSTER_RUN/bin/minicluster-progress"
