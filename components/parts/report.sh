#!/bin/sh
# Reports to JobStatus by the pod's termination message. The user's programs may write there too, so each line of this
# package has its name, and a copy is kept. Scripts for sh and bash source this file.

# report NAME VALUE
report() {
  { printf 'minicluster.%s=%s\n' "$1" "$2" >>"$MINICLUSTER_RUN/report"; } 2>/dev/null || :
  printf 'minicluster.%s=%s\n' "$1" "$2" >>"$MINICLUSTER_TERMINATION_LOG"
}

# Repeats the reports at the container's end if a program has written too. Kubernetes keeps the last 4096 bytes.
repeat_reports() {
  [ -s "$MINICLUSTER_RUN/report" ] || return 0
  [ "$(wc -c <"$MINICLUSTER_RUN/report")" = "$(wc -c <"$MINICLUSTER_TERMINATION_LOG")" ] || {
    printf '\n'
    cat "$MINICLUSTER_RUN/report"
  } >>"$MINICLUSTER_TERMINATION_LOG"
}
