#!/bin/sh
# Runs in place of flux run, flux submit and other commands that copy their environment into a jobspec: the variable
# FLUX_EXEC_PATH_PREPEND of the container names the folder of this file. It leaves out what environment.sh has listed, and
# becomes Flux' own command. No user has variables with the prefix of its own.
mc_folder=${0%/*}
# shellcheck source=/dev/null
. "$mc_folder/unset.sh"

# Otherwise flux would find this file again.
mc_rest=${FLUX_EXEC_PATH:-}:
FLUX_EXEC_PATH=
while [ -n "$mc_rest" ]; do
  mc_one=${mc_rest%%:*}
  mc_rest=${mc_rest#*:}
  [ "$mc_one" = "$mc_folder" ] || FLUX_EXEC_PATH=$FLUX_EXEC_PATH${FLUX_EXEC_PATH:+:}$mc_one
done
unset FLUX_EXEC_PATH_PREPEND
FLUX_SHELL_RC_PATH=${mc_folder%/*}/shell${FLUX_SHELL_RC_PATH:+:$FLUX_SHELL_RC_PATH}
export FLUX_EXEC_PATH FLUX_SHELL_RC_PATH

# A job may submit jobs too, and so needs the variable.
exec flux "${0##*/flux-}" --env-remove='MINICLUSTER_*' --env=FLUX_EXEC_PATH_PREPEND="$mc_folder" "$@"
