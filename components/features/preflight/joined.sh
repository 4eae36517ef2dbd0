#!/bin/sh
# Readiness probe of a cluster that may start without some ranks. The pod of a rank that stays out has started, but is
# never ready, and Kubernetes' Events have the reason. Only the first look is quick: later ones would cost CPU.
# shellcheck source=components/parts/run.sh
. "$MINICLUSTER_SCRIPTS/run.sh"

pause=60
! has out || pause=20
! has probed || sleep "$pause"
mark probed
has out || exit 0
read -r reason <"$MINICLUSTER_RUN/out"
printf '%s\n' "$reason"
exit 1
