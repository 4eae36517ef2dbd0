#!/usr/bin/env bash
# Prepares this pod's broker, then becomes its supervisor. The arguments are the command of an ephemeral cluster.
# Hooks are sourced, so nothing that matters is in a variable while one runs: theirs may have any name.
# A signal ends this script at once, as it does every program without traps; wait.sh hears of it.
set -euo pipefail

[[ ! -s $MINICLUSTER_RUN/stopped ]] || exit 143
: "${JOB_COMPLETION_INDEX:?is set by Kubernetes in the pods of an Indexed Job}"

# User code: its unset variables and its pipelines are its own business, its failure is ours. wait.sh reads which hook it
# was that ended this script. A signal that a hook ignores would be ignored by the broker, too.
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

# What only some clusters have: optional SCRIPT ARGUMENTS...
optional() {
  local script=$MINICLUSTER_SCRIPTS/$1
  shift
  [[ ! -e $script ]] || bash "$script" "$@"
}

# What differs from rank to rank, or is secret, must not travel in a jobspec: task.sh reads it on its own rank.
save_rank_environment() {
  local name
  for name in $MINICLUSTER_RANK_ENVIRONMENT; do
    if [[ -n ${!name+x} ]]; then
      printf 'export %s=%q\n' "$name" "${!name}"
    fi
  done >"$MINICLUSTER_RUN/rank.env"
}

# A word as any shell reads it: no other than bash knows what %q makes of a line break.
word_for_sh() {
  local rest=$1 text=
  while [[ $rest == *\'* ]]; do
    text+=${rest%%\'*}"'\\''"
    rest=${rest#*\'}
  done
  printf "'%s'" "$text$rest"
}

# Where Flux is may be the business of a hook or of the image's entrypoint; probes and kubectl exec see neither.
save_paths() {
  local name
  for name in PATH LD_LIBRARY_PATH PYTHONPATH; do
    [[ -z ${!name+x} ]] || printf 'export %s=%s\n' "$name" "$(word_for_sh "${!name}")"
  done >"$MINICLUSTER_RUN/paths.env.new"
  mv "$MINICLUSTER_RUN/paths.env.new" "$MINICLUSTER_RUN/paths.env"
}

# Flux refuses a certificate that group or others can read, and fsGroup makes Kubernetes' 0400 a 0440: so it gets a copy.
# It reads all *.toml of the folder in the order of their names and merges the tables.
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
    # Why a rank can't join is told at any level; lead.sh and ready.sh set the level that was asked for.
    -Slog-stderr-level="$((MINICLUSTER_LOG_LEVEL > 3 ? MINICLUSTER_LOG_LEVEL : 3))"
  )
  # On the node's network the host name is the node's, which broker.toml doesn't know. Before 0.82 Flux knows only the
  # variable.
  if [[ -n ${MINICLUSTER_HOSTNAME:-} ]]; then
    export FLUX_FAKE_HOSTNAME=$MINICLUSTER_HOSTNAME-$JOB_COMPLETION_INDEX
    mc_options+=(-Shostname="$FLUX_FAKE_HOSTNAME")
  fi
  if [[ $JOB_COMPLETION_INDEX == 0 && -e $MINICLUSTER_SCRIPTS/archive.sh ]]; then
    mc_options+=(-Scontent.dump=auto -Scontent.restore=auto)
  fi
  # No here-string: for that bash before 5.1 needs a folder that it can write to.
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
  # A user has no variables of these names, which would reach the broker changed.
  local mc_options mc_restart=$1
  shift
  broker_options
  save_paths
  umask 022
  # From here on the exit code is the supervisor's to decide.
  printf 'yes\n' >"$MINICLUSTER_RUN/started"
  exec bash "$MINICLUSTER_SCRIPTS/supervise.sh" "$mc_restart" flux broker "${mc_options[@]}" "$@"
}

main() {
  umask 077
  # Of a container that was started again in its pod.
  rm -f "$MINICLUSTER_RUN"/{archive.restored,ended,leaving,paths.env,quorum,ready,shutdown}
  if [[ -e $MINICLUSTER_SCRIPTS/home.sh ]]; then
    # shellcheck source=components/features/user/home.sh
    source "$MINICLUSTER_SCRIPTS/home.sh"
  fi
  hook init
  # shellcheck source=components/parts/flux.sh
  source "$MINICLUSTER_SCRIPTS/flux.sh"
  # Apart, because it sets variables, which may be the user's.
  (need_flux && need_version "$MINICLUSTER_MINIMUM_FLUX")
  optional names.sh
  save_rank_environment
  write_config
  optional munge.sh
  hook pre
  save_paths
  # For kubectl exec; to a starting broker it would name an enclosing instance.
  unset FLUX_URI

  if [[ $JOB_COMPLETION_INDEX != 0 ]]; then
    hook worker
    start_broker always
  fi
  hook lead
  optional archive.sh restore
  optional restful.sh begin
  if [[ $MINICLUSTER_MODE == ephemeral ]]; then
    start_broker never bash "$MINICLUSTER_SCRIPTS/lead.sh" "$@"
  fi
  start_broker failure bash "$MINICLUSTER_SCRIPTS/lead.sh" "$@"
}

main "$@"
