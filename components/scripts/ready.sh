#!/bin/sh
# Startup probe: rank 0 is ready when its initial program runs, which is at quorum; a follower when it has joined.
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
  [ -e "$MINICLUSTER_RUN/ready" ]
else
  flux ping --count=1 --rank=0 broker >/dev/null 2>&1
fi
