#!/usr/bin/env bash
# Prepares this pod's broker, then becomes its supervisor. The arguments are the command of an ephemeral cluster.
# Hooks are sourced and may set, export or protect variables of any name, so this script's own variables begin with mc_
# while hooks run and after that. The hooks are sourced outside of functions, in which `declare` would set variables of
# the function.
# A signal ends this script at once, because it has no traps; wait.sh handles the signal.
set -euo pipefail

[[ ! -e $MINICLUSTER_RUN/stopped ]] || exit 143
# If the image or the user exports them, the other scripts would get the options of this one.
export -n BASHOPTS SHELLOPTS
: "${JOB_COMPLETION_INDEX:?is set by Kubernetes in the pods of an Indexed Job}"

# A hook may change the arguments of this script.
mc_words=("$@")
mc_umask=

# shellcheck source=components/features/broker/options.sh
source "$MINICLUSTER_SCRIPTS/options.sh"

# begin_hook NAME: false if there is no such hook. Hooks are user code: they run without -u and pipefail, but their
# failure ends the start. wait.sh reads the name of the hook that ended this script. The files of this script are
# private, and so are those of a hook that sets no umask.
begin_hook() {
  [[ -e $MINICLUSTER_SCRIPTS/hook-$1.sh ]] || return
  printf '%s\n' "$1" >"$MINICLUSTER_RUN/hook"
  builtin umask "${mc_umask:-077}"
  # shellcheck disable=SC2317 # hooks call it
  umask() {
    builtin umask "$@" || return
    # Without a mode, it only prints the present one.
    [[ $# == 0 || ${!#} == -* ]] || mc_umask=$(builtin umask)
  }
  set +u +o pipefail
}

# The traps are reset, because the broker would ignore each signal that a hook ignores. The end of a function would
# restore those of DEBUG, ERR and RETURN, so they are reset before it.
end_hook() {
  set -euo pipefail
  set +aCfx
  unset IFS
  trap - EXIT HUP TERM
  unset -f umask
  builtin umask 077
  # A hook may have set a PATH without the view.
  [[ -z ${MINICLUSTER_VIEW:-} || :$PATH: == *:"$MINICLUSTER_VIEW/bin":* ]] || export PATH=$PATH:$MINICLUSTER_VIEW/bin
  if [[ -s $MINICLUSTER_RUN/hook ]]; then
    : >"$MINICLUSTER_RUN/hook"
    need_all
  fi
}

# In a subshell, as everything here that sources run.sh: it has functions and variables that may be the user's.
need_all() (
  # shellcheck source=components/parts/run.sh
  source "$MINICLUSTER_SCRIPTS/run.sh"
  # shellcheck disable=SC2086 # programs, each a word
  need_programs $MINICLUSTER_PROGRAMS
  need_flux
  [[ -z ${1:-} ]] || need_version "$1"
)

# optional SCRIPT ARGUMENTS...: runs a script that only some clusters have.
optional() {
  [[ ! -e $MINICLUSTER_SCRIPTS/$1 ]] || bash "$MINICLUSTER_SCRIPTS/$1" "${@:2}"
}

# Scripts of features that take part in the start, in the order of their names. A hook may have set the option failglob.
run_steps() {
  local mc_step
  shopt -u failglob
  for mc_step in "$MINICLUSTER_SCRIPTS"/start-*.sh; do
    [[ ! -e $mc_step ]] || bash "$mc_step"
  done
}

# Quotes a word for any shell. printf %q writes line breaks in a form that only bash reads.
word_for_sh() {
  local mc_rest=$1 mc_text=
  while [[ $mc_rest == *\'* ]]; do
    mc_text+=${mc_rest%%\'*}"'\\''"
    mc_rest=${mc_rest#*\'}
  done
  printf "'%s'" "$mc_text$mc_rest"
}

# A hook or the image's entrypoint may set the paths of Flux. Probes and kubectl exec run without both, and read this
# file.
save_paths() {
  local mc_name
  for mc_name in PATH LD_LIBRARY_PATH PYTHONPATH TMPDIR FLUX_SHELL_RC_PATH FLUX_MINICLUSTER_OWN; do
    [[ -z ${!mc_name+x} ]] || printf 'export %s=%s\n' "$mc_name" "$(word_for_sh "${!mc_name}")"
  done >"$MINICLUSTER_RUN/paths.env.new"
  mv "$MINICLUSTER_RUN/paths.env.new" "$MINICLUSTER_RUN/paths.env"
}

# Flux refuses a certificate that group or others can read, as they can read the mounted one (secretVolume.ts), so Flux
# gets a copy. It reads all *.toml of the folder in the order of their names and merges the tables.
write_config() (
  # shellcheck source=components/parts/run.sh
  source "$MINICLUSTER_SCRIPTS/run.sh"
  local mc_run=$MINICLUSTER_RUN mc_hosts mc_said
  mc_said=$(mkdir -p "$mc_run/config" "$mc_run/broker" "$MINICLUSTER_STATE" 2>&1) ||
    fail 78 "user $(id -u) can't make its folders: $mc_said"
  install -m 400 "$MINICLUSTER_CERTIFICATE" "$mc_run/curve.cert"
  cp "$MINICLUSTER_CONFIG"/*.toml "$mc_run/config/"
  mc_hosts=$(<"$MINICLUSTER_HOSTS") || :
  # A broker that can't find the lead logs nothing.
  [[ $mc_hosts == *"$MINICLUSTER_LEAD"* ]] ||
    say "$MINICLUSTER_HOSTS has no $MINICLUSTER_LEAD, so DNS has to find the lead"
  {
    printf '[bootstrap]\ncurve_cert = "%s"\n' "$mc_run/curve.cert"
    if [[ $mc_hosts =~ :[^[:space:]]*([[:blank:]]+[^[:space:]]+)*[[:blank:]]+"$MINICLUSTER_LEAD"([[:space:]]|$) ]]; then
      printf 'enable_ipv6 = true\n'
    fi
    [[ $JOB_COMPLETION_INDEX != 0 ]] || optional describe-ranks.sh "$mc_run/R"
    # The lead describes all ranks by its own resources. On a node with fewer, Flux would drain the rank.
    if [[ -e $MINICLUSTER_SCRIPTS/describe-ranks.sh ]]; then
      printf '[resource]\nnoverify = true\n'
      [[ ! -e $mc_run/R ]] || printf 'path = "%s"\n' "$mc_run/R"
    fi
    # By its own default fcfs, Fluxion refuses a job for which too few ranks are up. Other schedulers ignore this.
    if [[ $JOB_COMPLETION_INDEX == 0 && $(cat "$MINICLUSTER_CONFIG"/*.toml) != *queue-policy* ]]; then
      printf '[sched-fluxion-qmanager]\nqueue-policy = "easy"\n'
    fi
  } >"$mc_run/config/pod.toml"
)

broker_options() {
  local mc_run=$MINICLUSTER_RUN
  mc_options=(
    -c "$mc_run/config"
    -Srundir="$mc_run/broker"
    -Slocal-uri="local://$mc_run/broker/local"
    -Sstatedir="$MINICLUSTER_STATE"
    -Sbroker.quorum="$MINICLUSTER_QUORUM"
    -Sbroker.shutdown-timeout=30s
    -Slog-stderr-mode=local
    # The reason why a rank can't join is always logged. lead.sh and ready.sh set the requested level later.
    -Slog-stderr-level="$((MINICLUSTER_LOG_LEVEL > 3 ? MINICLUSTER_LOG_LEVEL : 3))"
  )
  # On the node's network, the host name is the node's, which broker.toml doesn't have. Before 0.82, Flux reads only the
  # variable.
  if [[ -n ${MINICLUSTER_HOSTNAME:-} ]]; then
    export FLUX_FAKE_HOSTNAME=$MINICLUSTER_HOSTNAME-$JOB_COMPLETION_INDEX
    mc_options+=(-Shostname="$FLUX_FAKE_HOSTNAME")
  fi
  if [[ $JOB_COMPLETION_INDEX == 0 && -e $MINICLUSTER_SCRIPTS/archive.sh ]]; then
    mc_options+=(-Scontent.dump=auto -Scontent.restore=auto)
  fi
  add_options -S "${MINICLUSTER_ATTRIBUTES:-}"
  # What start-cpus.sh has found. The file stands for one of the user's attributes too.
  [[ ! -e $mc_run/rc ]] || mc_options+=(-Sconf.shell_initrc="$mc_run/rc/initrc.lua")
  [[ ! -e $mc_run/topology.xml ]] || export FLUX_HWLOC_XMLFILE=$mc_run/topology.xml
}

# start_broker never|failure|always [INITIAL PROGRAM...]
start_broker() {
  # No user has variables of these names. An exported one would reach the broker with another value.
  local mc_options mc_restart=$1
  shift
  broker_options
  save_paths
  umask "${mc_umask:-022}"
  # From here on, the supervisor decides on the exit code.
  printf 'yes\n' >"$MINICLUSTER_RUN/started"
  exec bash "$MINICLUSTER_SCRIPTS/supervise.sh" "$mc_restart" flux broker "${mc_options[@]}" "$@"
}

prepare_broker() {
  # The other ranks have the same image.
  if [[ $JOB_COMPLETION_INDEX == 0 ]]; then
    need_all "$MINICLUSTER_MINIMUM_FLUX"
  else
    need_all
  fi
  # Flux keeps the sockets of nested instances (flux batch, flux alloc) and of flux proxy in TMPDIR, else in /tmp. The folder is
  # on the pod's disk, because files in /run/flux take memory. If it can't be made, write_config says why.
  if [[ -z ${TMPDIR:-} && ! (-d /tmp && -w /tmp) ]]; then
    export TMPDIR=${MINICLUSTER_STATE%/*}/tmp
    mkdir -p "$TMPDIR" || :
  fi
  run_steps
  # For programs that submit jobs without a command of Flux.
  export FLUX_SHELL_RC_PATH=$MINICLUSTER_RUN/shell${FLUX_SHELL_RC_PATH:+:$FLUX_SHELL_RC_PATH}
  write_config
}

# After the hooks whose variables belong to this rank. Those of the hook `lead` are for all tasks of the command.
choose_variables() {
  bash "$MINICLUSTER_SCRIPTS/environment.sh"
  if [[ -e $MINICLUSTER_RUN/own ]]; then
    IFS= read -r -d '' FLUX_MINICLUSTER_OWN <"$MINICLUSTER_RUN/own" || :
    export FLUX_MINICLUSTER_OWN
  fi
}

# start_lead [COMMAND...]
start_lead() {
  if [[ -n ${MINICLUSTER_SCHEDULER:-} ]]; then
    bash "$MINICLUSTER_SCRIPTS/scheduler.sh" check
    export FLUX_SCHED_MODULE=none FLUXION_RESOURCE_RC_NOOP=1 FLUXION_QMANAGER_RC_NOOP=1
  fi
  optional metrics.sh keep &
  optional archive.sh restore
  optional restful.sh begin
  if [[ $MINICLUSTER_MODE == ephemeral ]]; then
    start_broker never bash "$MINICLUSTER_SCRIPTS/lead.sh" "$@"
  fi
  start_broker failure bash "$MINICLUSTER_SCRIPTS/lead.sh" "$@"
}

umask 077
# If the container was restarted in its pod, these are old.
rm -f "$MINICLUSTER_RUN"/{R,archive.restored,ended,leaving,paths.env,quorum,ready,told}
if [[ -e $MINICLUSTER_SCRIPTS/home.sh ]]; then
  # shellcheck source=components/features/user/home.sh
  source "$MINICLUSTER_SCRIPTS/home.sh"
fi

optional own.sh keep
# shellcheck source=/dev/null
! begin_hook init || source "$MINICLUSTER_SCRIPTS/hook-init.sh" init
trap - DEBUG ERR RETURN
end_hook
prepare_broker
# shellcheck source=/dev/null
! begin_hook pre || source "$MINICLUSTER_SCRIPTS/hook-pre.sh" pre
trap - DEBUG ERR RETURN
end_hook
save_paths
# The container has this variable for kubectl exec. A starting broker would take it for an enclosing instance.
unset FLUX_URI
if [[ $JOB_COMPLETION_INDEX != 0 ]]; then
  # shellcheck source=/dev/null
  ! begin_hook worker || source "$MINICLUSTER_SCRIPTS/hook-worker.sh" worker
  trap - DEBUG ERR RETURN
  end_hook
  choose_variables
  start_broker always
fi
choose_variables
# shellcheck source=/dev/null
! begin_hook lead || source "$MINICLUSTER_SCRIPTS/hook-lead.sh" lead
trap - DEBUG ERR RETURN
end_hook
# Before 4.4, bash takes an empty array for an unset variable.
start_lead ${mc_words[@]+"${mc_words[@]}"}
