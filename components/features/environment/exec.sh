#!/bin/sh
# Runs a command of `flux exec` on its rank: own WORD... `flux exec` passes on the environment of the shell in which it is
# typed. So values of that shell's rank are replaced by those of this rank, as rank.lua does it for tasks. environment.sh
# adds a line for each variable. No process starts here: a job may have taken all that this pod can have.
mc_end='
'
mc_gone='' mc_given=''
mc_left=${FLUX_MINICLUSTER_OWN:-}$mc_end
while [ -n "$mc_left" ]; do
  mc_name=${mc_left%%[!A-Za-z0-9_]*}
  case $mc_name in
  '' | [0-9]*) ;;
  *)
    eval "mc_given=\${$mc_name-}"
    case $FLUX_MINICLUSTER_OWN in
    *"$mc_end$mc_name=$mc_given$mc_end"*)
      unset "$mc_name"
      mc_gone="$mc_gone $mc_name "
      ;;
    esac
    ;;
  esac
  mc_left=${mc_left#*"$mc_end"}
done
unset FLUX_MINICLUSTER_OWN

# set_to NAME VALUE: a value of the rank. bash has a HOSTNAME of its own, which it doesn't export.
set_to() {
  export "$1=$2"
}

# own NAME VALUE [VALUE BEFORE THE HOOKS]
own() {
  eval "[ -n \"\${$1+x}\" ] && [ \"$#\$$1\" != \"3\${3-}\" ]" || export "$1=$2"
}

# same NAME VALUE: the hooks of this rank have not changed it.
same() {
  case $mc_gone in *" $1 "*) export "$1=$2" ;; esac
}
