#!/bin/sh
# Runs in place of ssh, with which Flux connects to an instance on another rank (flux proxy, flux uri, flux jobs -R): the
# pods have no sshd. FLUX_SSH of the container names this file. `ssh HOST COMMAND...` runs the command on the rank of that
# host, by the cluster's own brokers. A host of no rank gets the image's ssh. environment.sh sets the variables that are
# read here.
# shellcheck disable=SC2154
mc_rank=${1#*@}
mc_rank=${mc_rank%%.*}
case ${mc_rank#"$mc_cluster"-} in
"$mc_rank" | '' | *[!0-9]*) exec ssh "$@" ;;
esac
mc_rank=${mc_rank#"$mc_cluster"-}
shift
# From within a nested instance too.
FLUX_URI=local://$mc_run/broker/local
export FLUX_URI
exec flux python "$mc_scripts/bridge.py" near "$mc_rank" "$@"
