#!/bin/sh
# Reports to JobStatus by the pod's termination message. The user's programs may write there too, so each line of this
# package has its name, and a copy is kept. Scripts for sh and bash source this file.

# report NAME VALUE
report() {
  { printf 'minicluster.%s=%s\n' "$1" "$2" >>"$MINICLUSTER_RUN/report"; } 2>/dev/null || :
  printf 'minicluster.%s=%s\n' "$1" "$2" >>"$MINICLUSTER_TERMINATION_LOG"
}

# Writes the reports at the container's end before the end of what a program has written. Kubernetes keeps 4096 bytes, and
# fewer if the pod has more than three containers.
repeat_reports() {
  [ -s "$MINICLUSTER_RUN/report" ] || return 0
  if [ "$(wc -c <"$MINICLUSTER_RUN/report")" != "$(wc -c <"$MINICLUSTER_TERMINATION_LOG")" ]; then
    # bash would warn of bytes that are 0.
    { mc_words=$(tail -c 700 "$MINICLUSTER_TERMINATION_LOG"); } 2>/dev/null
    { cat "$MINICLUSTER_RUN/report" && printf '%s\n' "$mc_words"; } >"$MINICLUSTER_TERMINATION_LOG"
  fi
}
