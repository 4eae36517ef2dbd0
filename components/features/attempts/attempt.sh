#!/usr/bin/env bash
# Notes on its rank which attempt of the command runs there, and becomes the task: attempt.sh FILE WORDS COMMAND...
# notice.sh reads the id of the job from the file. The followers keep the file when the lead's pod is lost, and the next
# lead reads it from them. A rank that has joined again without the file is in another pod (lead.sh).
# On a full disk, the file is empty.
[[ ${FLUX_TASK_LOCAL_ID:-0} != 0 ]] || printf '%s %s\n' "$2" "$FLUX_JOB_ID" 2>/dev/null >"$1"
exec "${@:3}"
