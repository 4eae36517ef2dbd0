#!/bin/sh
# minicluster-progress FRACTION [TEXT...]: tells how far the program is, such as `minicluster-progress 0.4 "step 400"`.
# start-progress.sh puts it on PATH. It starts no other program, so that a script may call it often, and it writes the
# file in one step, so that progress.sh never reads a part of it.

fail() {
  printf 'minicluster-progress: %s\n' "$1" >&2
  exit 64
}

wrong() {
  fail "the fraction is \"$1\"; give a number from 0 to 1, such as 0.4, and a text"
}

# Numbers as programs print them, such as 0.4, .4, 1.0 and 1e-05; provider/observe/live/progress.ts reads them.
case ${1:-} in
0 | 1) ;;
. | *.*.* | *e- | *e-*[!0-9]* | [1-9].*[!0-9]*e-*) wrong "$1" ;;
[1-9]e-[0-9]* | [1-9].[0-9]*e-[0-9]*) ;;
0.*[!0-9]* | .*[!0-9]* | 1.*[!0]*) wrong "$1" ;;
0.* | .* | 1.*) ;;
*) wrong "${1:-}" ;;
esac
[ -n "${MINICLUSTER_PROGRESS:-}" ] ||
  fail "MINICLUSTER_PROGRESS is not set; the tasks of the command and of FluxJobs have it, those of arrays don't"
printf '%s\n' "$*" >"$MINICLUSTER_PROGRESS"
