#!/usr/bin/env bash
# Prepares this pod's broker, then becomes its supervisor. The arguments are the command of an ephemeral cluster.
# Hooks are sourced and may set variables of any name, so this script keeps nothing important in a variable meanwhile.
# A signal ends this script at once, because it has no traps; wait.sh handles the signal.
set -euo pipefail

[[ ! -s $MINICLUSTER_RUN/stopped ]] || exit 143
: "${JOB_COMPLETION_INDEX:?is set by Kubernetes in the pods of an Indexed Job}"

# Hooks are user code: they run without -u and pipefail, but their failure ends the start. wait.sh reads the name of the
# hook that ended this script. The traps are reset, because the broker would ignore each signal that a hook ignores.
hook() {
  local file=$MINICLUSTER_SCRIPTS/hook-$1.sh
  [[ -e $file ]] || return 0
  printf '%s\n' "$1" >"$MINICLUSTER_RUN/hook"
  set +u +o pipefail
  # shellcheck source=/dev/null
  source "$file"
  set -euo pipefail
  set +f
  unset IFS
  trap - DEBUG ERR EXIT HUP TERM
  : >"$MINICLUSTER_RUN/hook"
}

# optional SCRIPT ARGUMENTS...: runs a script that only some clusters have.
optional() {
  local script=$MINICLUSTER_SCRIPTS/$1
  shift
  [[ ! -e $script ]] || bash "$script" "$@"
}

# Quotes a word for any shell. printf %q writes line breaks in a form that only bash reads.
word_for_sh() {
  local rest=$1 text=
  while [[ $rest == *\'* ]]; do
    text+=${rest%%\'*}"'\\''"
    rest=${rest#*\'}
  done
  printf "'%s'" "$text$rest"
}

# A hook or the image's entrypoint may set the paths of Flux. Probes and kubectl exec run without both, and read this
# file.
save_paths() {
  local name
  for name in PATH LD_LIBRARY_PATH PYTHONPATH FLUX_SHELL_RC_PATH; do
    [[ -z ${!name+x} ]] || printf 'export %s=%s\n' "$name" "$(word_for_sh "${!name}")"
  done >"$MINICLUSTER_RUN/paths.env.new"
  mv "$MINICLUSTER_RUN/paths.env.new" "$MINICLUSTER_RUN/paths.env"
}

# Flux refuses a certificate that group or others can read. With fsGroup, Kubernetes changes the mode 0400 to 0440, so
# Flux gets a copy. It reads all *.toml of the folder in the order of their names and merges the tables.
write_config() {
  local run=$MINICLUSTER_RUN
  mkdir -p "$run/config" "$run/broker" "$MINICLUSTER_STATE"
  install -m 400 "$MINICLUSTER_CERTIFICATE" "$run/curve.cert"
  cp "$MINICLUSTER_CONFIG"/*.toml "$run/config/"
  {
    printf '[bootstrap]\ncurve_cert = "%s"\n' "$run/curve.cert"
    if [[ $(<"$MINICLUSTER_HOSTS") =~ :[^[:space:]]*([[:blank:]]+[^[:space:]]+)*[[:blank:]]+"$MINICLUSTER_LEAD"([[:space:]]|$) ]]; then
      printf 'enable_ipv6 = true\n'
    fi
    if [[ $JOB_COMPLETION_INDEX == 0 && -n ${MINICLUSTER_DETECT_HOSTS:-} ]]; then
      flux R encode --hosts="$MINICLUSTER_DETECT_HOSTS" --local >"$run/R"
      optional describe-gpus.sh "$run/R"
      printf '[resource]\npath = "%s"\nnoverify = true\n' "$run/R"
    fi
  } >"$run/config/pod.toml"
}

broker_options() {
  local attribute rest run=$MINICLUSTER_RUN
  mc_options=(
    -c "$run/config"
    -Srundir="$run/broker"
    -Slocal-uri="local://$run/broker/local"
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
  # Not a here-string: before 5.1, bash needs a writable folder for one.
  rest=${MINICLUSTER_ATTRIBUTES:-}
  while [[ -n $rest ]]; do
    attribute=${rest%%$'\n'*}
    rest=${rest#"$attribute"}
    rest=${rest#$'\n'}
    [[ -z $attribute ]] || mc_options+=(-S"$attribute")
  done
}

# start_broker never|failure|always [INITIAL PROGRAM...]
start_broker() {
  # No user has variables of these names. An exported one would reach the broker with another value.
  local mc_options mc_restart=$1
  shift
  broker_options
  save_paths
  umask 022
  # From here on, the supervisor decides on the exit code.
  printf 'yes\n' >"$MINICLUSTER_RUN/started"
  exec bash "$MINICLUSTER_SCRIPTS/supervise.sh" "$mc_restart" flux broker "${mc_options[@]}" "$@"
}

main() {
  umask 077
  # If the container was restarted in its pod, these are old.
  rm -f "$MINICLUSTER_RUN"/{archive.restored,ended,leaving,paths.env,quorum,ready,shutdown}
  if [[ -e $MINICLUSTER_SCRIPTS/home.sh ]]; then
    # shellcheck source=components/features/user/home.sh
    source "$MINICLUSTER_SCRIPTS/home.sh"
  fi
  hook init
  # shellcheck source=components/parts/flux.sh
  source "$MINICLUSTER_SCRIPTS/flux.sh"
  # In a subshell, because it sets variables that may be the user's.
  (need_flux && need_version "$MINICLUSTER_MINIMUM_FLUX")
  optional names.sh
  bash "$MINICLUSTER_SCRIPTS/environment.sh"
  # For programs that submit jobs without a command of Flux.
  export FLUX_SHELL_RC_PATH=$MINICLUSTER_RUN/shell${FLUX_SHELL_RC_PATH:+:$FLUX_SHELL_RC_PATH}
  write_config
  optional munge.sh
  hook pre
  save_paths
  # The container has this variable for kubectl exec. A starting broker would take it for an enclosing instance.
  unset FLUX_URI

  if [[ $JOB_COMPLETION_INDEX != 0 ]]; then
    hook worker
    start_broker always
  fi
  hook lead
  if [[ -n ${MINICLUSTER_SCHEDULER:-} ]]; then
    bash "$MINICLUSTER_SCRIPTS/scheduler.sh" check
    export FLUX_SCHED_MODULE=none FLUXION_RESOURCE_RC_NOOP=1 FLUXION_QMANAGER_RC_NOOP=1
  fi
  optional archive.sh restore
  optional restful.sh begin
  if [[ $MINICLUSTER_MODE == ephemeral ]]; then
    start_broker never bash "$MINICLUSTER_SCRIPTS/lead.sh" "$@"
  fi
  start_broker failure bash "$MINICLUSTER_SCRIPTS/lead.sh" "$@"
}

main "$@"
