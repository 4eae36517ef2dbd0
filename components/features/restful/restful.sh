#!/usr/bin/env bash
# The Flux RESTful server of rank 0. `restful.sh begin` starts `restful.sh prepare`, which finds or installs the server
# and creates its user while the broker starts. `restful.sh serve` runs the server in the initial program, and marks
# rank 0 as ready when the server answers.
set -uo pipefail

# shellcheck source=components/parts/run.sh
source "$MINICLUSTER_SCRIPTS/run.sh"

readonly folder=$MINICLUSTER_RUN/restful end_mark=$'\004'
# How often the server's start is repeated if it is killed: a job may do it, but a lack of memory lasts.
readonly most_kills=3

begin() {
  # The documented minimum for the server.
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 403)) ||
    fail 1 "the RESTful server needs bash 4.3; the image has ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"
  rm -rf "$folder"
  mkdir "$folder" || exit
  bash "$0" prepare &
  printf '%d\n' "$!" >"$folder/preparer"
}

# version_in PYTHON...: prints the version of its flux-restful, or nothing if it has none.
version_in() {
  "$@" -c 'import flux_restful.version as of; print(of.__version__)' 2>/dev/null
}

# 1.1.0 becomes 1001000. Text after the numbers is ignored.
version_number() {
  local IFS=. major minor patch
  set -f
  # shellcheck disable=SC2086 # its numbers, each a word
  set -- ${1//[!0-9.]*/}
  set +f
  major=${1:-} minor=${2:-} patch=${3:-}
  printf '%d\n' "$((${major:-0} * 1000000 + ${minor:-0} * 1000 + ${patch:-0}))"
}

# True for the requested version. If none is requested, true for the minimum and newer versions.
suits() {
  local version=$1
  [[ -n $version ]] || return 1
  if [[ -n $MINICLUSTER_RESTFUL_VERSION ]]; then
    [[ $version == "$MINICLUSTER_RESTFUL_VERSION" ]]
  else
    (($(version_number "$version") >= $(version_number "$MINICLUSTER_RESTFUL_MINIMUM")))
  fi
}

# Sets python to that of Flux's own bindings, or to the one that flux-restful was installed for.
find_server() {
  local line script
  python=(flux python)
  found=$(version_in "${python[@]}")
  suits "$found" && return
  script=$(command -v flux-restful) || return 1
  read -r line <"$script"
  [[ $line == '#!/'*python* ]] || return 1
  set -f
  # shellcheck disable=SC2206 # the interpreter and its options
  python=(${line#'#!'})
  set +f
  found=$(version_in "${python[@]}")
  suits "$found" && return
  python=(flux python)
  return 1
}

# Prints the first line about an error of the index, or else pip's first ERROR line.
pip_failure() {
  local line last=
  while IFS= read -r line; do
    case $line in
    *'Failed to establish'* | *'connection error'* | *'ConnectTimeout'* | *'certificate verify failed'*)
      printf '%s\n' "${line#WARNING: }"
      return
      ;;
    ERROR:*) [[ -n $last ]] || last=${line#ERROR: } ;;
    esac
  done <"$folder/pip.log"
  printf '%s\n' "${last:-pip says nothing}"
}

# Prints the version of Flux's Python if flux-restful 1.1.0 doesn't run on it.
old_python() {
  flux python -c 'import sys; v = sys.version_info; print("%d.%d" % v[:2] if v < (3, 10) else "")' 2>/dev/null
}

# Sets pip to the command of the image's pip, or of pip's own wheel, which Python can run.
find_pip() {
  local said wheel
  pip=(flux python -m pip)
  "${pip[@]}" --version >/dev/null 2>&1 && return
  [[ -z $old ]] || fail 1 "$why, and it can't be installed: it needs Python 3.10 or later, and Flux's is $old; $cure"
  if ! wheel=$(flux python "$MINICLUSTER_SCRIPTS/restful-pip.py" "$MINICLUSTER_RESTFUL_INSTALL-pip" \
    "$MINICLUSTER_RESTFUL_INDEX_URL" 2>"$folder/pip.log"); then
    said=$(<"$folder/pip.log")
    fail 1 "$why, and no pip to install it with, and pip can't be downloaded: ${said##*$'\n'}; give restful.indexUrl, $cure"
  fi
  pip=(flux python "$wheel/pip")
}

# One retry: an index that doesn't answer must be reported soon, and without a retry pip doesn't print why it failed.
install_server() {
  local options=(
    --target "$MINICLUSTER_RESTFUL_INSTALL" --requirement "$MINICLUSTER_SCRIPTS/restful-requirements.txt"
    --require-hashes --only-binary :all: --no-cache-dir --no-input --no-warn-conflicts --disable-pip-version-check
    --retries 1 --timeout 10 --progress-bar off
  )
  local why="the image has no flux-restful ${MINICLUSTER_RESTFUL_VERSION:-$MINICLUSTER_RESTFUL_MINIMUM or later}"
  [[ -z $found ]] || why="the image has flux-restful $found and not ${MINICLUSTER_RESTFUL_VERSION:-$MINICLUSTER_RESTFUL_MINIMUM or later}"
  local code=0 old pip cure="put it into the image, or use restful.enabled: false"
  [[ -z $MINICLUSTER_RESTFUL_INDEX_URL ]] || options+=(--index-url "$MINICLUSTER_RESTFUL_INDEX_URL")
  old=$(old_python)
  say "$why; installing it"
  find_pip
  rm -rf "$MINICLUSTER_RESTFUL_INSTALL"
  "${pip[@]}" install "${options[@]}" >"$folder/pip.log" 2>&1 || code=$?
  # A job has killed it.
  ((code < 128)) || exit "$code"
  if ((code)); then
    [[ -z $old ]] || fail 1 "$why, and it can't be installed: it needs Python 3.10 or later, and Flux's is $old; $cure"
    fail 1 "$why, and pip can't install it: $(pip_failure); give restful.indexUrl, $cure"
  fi
  rm -rf "$MINICLUSTER_RESTFUL_INSTALL-pip"
  packages=$MINICLUSTER_RESTFUL_INSTALL
  export PYTHONPATH=$packages${PYTHONPATH:+:$PYTHONPATH}
  found=$(version_in "${python[@]}")
  suits "$found" || fail 1 "what restful.requirements installs is flux-restful ${found:-of no version}; $cure"
}

key() {
  cat "$MINICLUSTER_RESTFUL_KEYS/restful.$1"
}

# Sets FLUX_MINICLUSTER_OWN to what the server's jobs can have of it: the names on the server's own list, and those of
# restful.jobEnvironment. A value that a hook has exported may be a secret, and jobspecs are kept.
own_in_jobs() {
  local LC_ALL=C name pattern all=$FLUX_MINICLUSTER_OWN kept=$'\n'
  set -f
  for name in $(compgen -e); do
    [[ $all == *$'\n'"$name=${!name}"$'\n'* ]] || continue
    for pattern in PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TERM TZ TMPDIR PYTHONPATH LD_LIBRARY_PATH MANPATH LUA_PATH \
      LUA_CPATH FLUX_EXEC_PATH FLUX_MODULE_PATH FLUX_CONNECTOR_PATH FLUX_PMI_LIBRARY_PATH ${MINICLUSTER_RESTFUL_JOB_ENVIRONMENT//,/ }; do
      # shellcheck disable=SC2053 # a pattern
      [[ $name != $pattern ]] || { kept+=$name=${!name}$'\n' && break; }
    done
  done
  set +f
  export FLUX_MINICLUSTER_OWN=$kept
}

configure() {
  [[ -z ${FLUX_MINICLUSTER_OWN+x} ]] || own_in_jobs
  export FLUX_AUTH_BACKEND=$MINICLUSTER_RESTFUL_BACKEND FLUX_USER=$MINICLUSTER_RESTFUL_USER
  export FLUX_NUMBER_NODES=$MINICLUSTER_RESTFUL_NODES FLUX_HAS_GPUS=$MINICLUSTER_RESTFUL_GPUS
  export FLUX_JOB_ENV_PASSTHROUGH=FLUX_SHELL_RC_PATH,${FLUX_MINICLUSTER_OWN+FLUX_MINICLUSTER_OWN,}$MINICLUSTER_RESTFUL_JOB_ENVIRONMENT
  export PYTHONUNBUFFERED=1
  unset FLUX_REQUIRE_AUTH FLUX_SERVER_MODE
  if [[ $FLUX_AUTH_BACKEND != none ]]; then
    [[ -r $MINICLUSTER_RESTFUL_KEYS/restful.token ]] ||
      fail 1 "user $(id -u) may not read the keys of the RESTful server; set podSecurityContext.fsGroup to a group of that user"
    FLUX_TOKEN=$(key token) FLUX_SECRET_KEY=$(key shared-key) FLUX_TOKEN_SIGNING_KEY=$(key signing-key)
    export FLUX_TOKEN FLUX_SECRET_KEY FLUX_TOKEN_SIGNING_KEY
  fi
}

# Writes the exit code of `prepare` for the initial program, which waits for it. If a signal ends bash, the code here is
# that of the last command.
tell() {
  local code=$?
  [[ -n ${is_prepared:-} || $code != 0 ]] || code=143
  printf '%d\n' "$code" >"$folder/prepared.new" && mv "$folder/prepared.new" "$folder/prepared"
}

prepare() {
  local code found packages='' python said
  trap tell EXIT
  # Python searches the working directory for its own modules, and that of the pod may have a random.py.
  cd "$folder" || exit
  find_server || install_server
  printf '%s\n' "$packages" "${python[@]}" >"$folder/python"
  configure
  if [[ $FLUX_AUTH_BACKEND != none ]]; then
    said=$("${python[@]}" -m flux_restful.cli init 2>&1) || {
      code=$?
      ((code < 128)) || exit "$code"
      fail 1 "flux-restful init failed: ${said##*$'\n'}"
    }
  fi
  is_prepared=yes
}

# Saves the server's last message that is not an INFO line: it tells why the server ended. A mark follows the server's
# end, because its child processes may live on and write to the same pipe.
listen() {
  local line
  while IFS= read -r line && [[ $line != "$end_mark" ]]; do
    printf '%s\n' "$line" >&2
    case $line in
    '' | INFO*) ;;
    *) printf '%s\n' "$line" >"$folder/last" ;;
    esac
  done
  cat <&0 >&2 &
}

# Opens a pipe: descriptor 3 reads, 4 writes. It is first opened for both, so that neither end waits for the other. Its
# name is removed, so that no other server can use it.
open_pipe() {
  local -r name=$folder/said.$$
  mkfifo "$name" && exec 5<>"$name" || exit
  exec 3<"$name"
  exec 4>"$name" 5<&-
  rm "$name"
}

start_server() {
  local host=0.0.0.0 options
  local -r port=$MINICLUSTER_RESTFUL_PORT
  [[ $address_family != ipv6 ]] || host=::
  options=(--host "$host" --port "$port" --workers "$MINICLUSTER_RESTFUL_WORKERS" --timeout-graceful-shutdown 2)
  scheme=http
  if [[ -n $MINICLUSTER_RESTFUL_TLS ]]; then
    scheme=https
    options+=(--ssl-certfile "$MINICLUSTER_RESTFUL_TLS/tls.crt" --ssl-keyfile "$MINICLUSTER_RESTFUL_TLS/tls.key")
  fi
  options+=(--packages "$packages")
  [[ -z ${PYTHONPATH+x} ]] || options+=(--path "$PYTHONPATH")
  open_pipe
  listen <&3 4>&- &
  listener=$!
  # In its own process group, so that the workers end with the server.
  set -m
  "${python[@]}" "$MINICLUSTER_SCRIPTS/restful-server.py" flux_restful.main:app "${options[@]}" 2>&4 3<&- 4>&- &
  server=$!
  set +m
  exec 3<&-
  printf '%d\n' "$server" >"$folder/pid"
}

stop_server() {
  [[ -z ${server:-} ]] || kill -s "${1:-TERM}" -- "-$server" 2>/dev/null
}

# If restful.sh was killed, its server still has the port, or the server's workers have it. The server's process id may be
# a task's by now, so only processes of the initial program are ended.
take_over() {
  local group kind pid process text
  printf '%d\n' "$$" >"$folder/owner"
  [[ -e $folder/pid ]] || return 0
  read -r group <"$folder/pid"
  # shellcheck source=components/features/broker/processes.sh
  source "$MINICLUSTER_SCRIPTS/processes.sh"
  for process in /proc/[0-9]*; do
    pid=${process##*/}
    text=
    { IFS= read -r -d '' text <"$process/stat"; } 2>/dev/null
    # The name of the program, which may have any character, is followed by state, parent and process group.
    text=${text##*) ? }
    text=${text#* }
    [[ ${text%% *} == "$group" ]] || continue
    kind_of "$pid"
    [[ $kind != broker ]] || kill -s KILL "$pid" 2>/dev/null
  done
}

is_owner() {
  [[ $(<"$folder/owner") == "$$" ]]
}

# Waits for `prepare`, and repeats it a few times if a signal has ended it. Sets python to the one that it has found, and
# packages to the folder where it has installed the server.
read_python() {
  local result=137 tries=0
  while ((result >= 128)); do
    until [[ -s $folder/prepared ]]; do
      if is_preparing || [[ -s $folder/prepared ]]; then
        sleep 0.1
      else
        ((++tries <= most_kills)) ||
          fail 1 "the RESTful server can't be prepared: its preparation was killed $most_kills times, or $folder is full"
        say "the RESTful server is prepared again, because its preparation was killed"
        ((tries == 1)) || sleep 1
        bash "$0" prepare &
        printf '%d\n' "$!" >"$folder/preparer"
        wait "$!"
      fi
    done
    read -r result <"$folder/prepared"
    ((result < 128)) || rm -f "$folder/prepared"
  done
  [[ $result == 0 ]] || exit 1
  mapfile -t python <"$folder/python"
  packages=${python[0]}
  python=("${python[@]:1}")
}

# Another process may have the id by now.
is_preparing() {
  local pid word
  {
    read -r pid <"$folder/preparer" || return
    while IFS= read -r -d '' word; do
      [[ $word != prepare ]] || return 0
    done <"/proc/$pid/cmdline"
  } 2>/dev/null
  return 1
}

# The probe also ends when the server does, because not every bash has `wait -n` to wait for one of two processes. If a
# job has killed the probe, the server still runs.
await_answer() {
  local host=127.0.0.1 probe
  [[ $address_family != ipv6 ]] || host='[::1]'
  while kill -s 0 "$server" 2>/dev/null; do
    "${python[@]}" "$MINICLUSTER_SCRIPTS/restful-answers.py" "$scheme://$host:$MINICLUSTER_RESTFUL_PORT/v1/auth" "$server" 4>&- &
    probe=$!
    if wait "$probe"; then
      mark ready
      say "the RESTful server answers on port $MINICLUSTER_RESTFUL_PORT"
      return
    fi
  done
}

serve() {
  local address_family code delay=1 kills=0 listener packages python scheme server started
  address_family=$(grep -qs 'enable_ipv6 = true' "$MINICLUSTER_RUN/config/pod.toml" && printf ipv6)
  trap 'stop_server; exit 143' TERM HUP INT
  read_python
  take_over
  configure
  # The server keeps its database in the folder where it starts.
  cd "$folder" || exit
  while :; do
    started=$SECONDS
    : >"$folder/last"
    start_server
    await_answer
    wait "$server"
    code=$?
    # If only the server itself was killed, its workers still have the port.
    stop_server KILL
    is_owner || exit 0
    printf '\n%s\n' "$end_mark" >&4
    exec 4>&-
    wait "$listener"
    # A job may have killed it before it answered.
    has ready || ((code > 128 && ++kills <= most_kills)) ||
      fail 1 "the RESTful server ended with exit code $code: $(<"$folder/last")"
    ((SECONDS - started < 60)) || delay=1
    say "the RESTful server ended with $code and is restarted in $delay s"
    sleep "$delay" &
    wait "$!"
    delay=$((delay < 32 ? delay * 2 : 32))
  done
}

"$1"
