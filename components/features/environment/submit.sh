#!/bin/sh
# Runs in place of flux run, flux submit and other commands that copy their environment, into a jobspec or to other ranks:
# the variable FLUX_EXEC_PATH_PREPEND of the container names the folder of this file. It leaves out what environment.sh has
# listed, and becomes Flux' own command. No user has variables with the prefix of its own.
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
export FLUX_EXEC_PATH

# The command of `flux exec`, its first word after the options, runs by the script `own`, which gives it the variables of its
# rank. An option's value may be the next word.
if [ "${0##*/}" = flux-exec ]; then
  mc_at=option
  for mc_word; do
    shift
    case $mc_at$mc_word in
    value*) mc_at=option ;;
    option--attach) mc_at=words ;;
    option--) set -- "$@" -- "$mc_folder/own" && mc_at=words && continue ;;
    option--*=* | option--[bhnqvw]* | option--label-* | option--sign) ;;
    option--*) mc_at=value ;;
    option-?*)
      mc_rest=${mc_word#-}
      case ${mc_rest#"${mc_rest%%[!hlnqv]*}"} in [djrx]) mc_at=value ;; esac
      ;;
    option*) set -- "$@" "$mc_folder/own" && mc_at=words ;;
    esac
    set -- "$@" "$mc_word"
  done
  exec flux exec "$@"
fi

FLUX_SHELL_RC_PATH=${mc_folder%/*}/shell${FLUX_SHELL_RC_PATH:+:$FLUX_SHELL_RC_PATH}
export FLUX_SHELL_RC_PATH

# A job may submit jobs too, and so needs the variable.
exec flux "${0##*/flux-}" --env-remove='MINICLUSTER_*' --env=FLUX_EXEC_PATH_PREPEND="$mc_folder" "$@"
