#!/usr/bin/env bash
# Asks this pod's broker without a new process or connection: a job may have taken all CPUs, processes and memory of the
# pod. Builtins of bash write and read messages of RFC 3 over the pipes of `flux relay`, which runs since the broker's
# start. supervise.sh and rescue.sh source this file.
# https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_3.html

# Every `return` has a number: a bare one in a trap, as in supervise.sh, returns the status from before the trap.
mc_relay=$MINICLUSTER_RUN/relay
mc_asks=
mc_answers=
# The hook and supervise.sh read answers from one pipe, so each has tags of its own: all begin with its process id.
mc_tag=$(($$ % 32768 * 65536))

# start_relay TRIES: starts a relay that connects to the broker as soon as its socket is there.
start_relay() {
  [[ -p $mc_relay/answers ]] || (use_flux && mkdir -p "$mc_relay" && mkfifo -m 600 "$mc_relay/asks" "$mc_relay/answers") || return 1
  {
    use_flux
    MINICLUSTER_BROKER=$MINICLUSTER_RUN/broker FLUX_LOCAL_CONNECTOR_RETRY_COUNT=$1 \
      exec flux relay "$MINICLUSTER_RUN/broker/local"
  } <>"$mc_relay/asks" 1<>"$mc_relay/answers" &
  printf '%d\n' "$!" >"$mc_relay/pid"
} 2>/dev/null

# open_relay: false if there is no relay.
open_relay() {
  [[ -p $mc_relay/answers ]] && relay_lives || return 1
  exec {mc_asks}<>"$mc_relay/asks" {mc_answers}<>"$mc_relay/answers"
}

relay_lives() {
  local pid=
  { read -r pid <"$mc_relay/pid"; } 2>/dev/null
  [[ -n $pid ]] && kill -0 "$pid" 2>/dev/null
}

# Sets `word` to the escapes of a number of four bytes.
word_of() {
  printf -v word '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255))
}

# tell TOPIC JSON: sends a request to the lead's broker. Its tag is mc_tag.
tell() {
  local LC_ALL=C word total length head=$((${#2} + 1))
  mc_tag=$((mc_tag + 1))
  printf -v length '\\x%02x' "${#1}"
  if ((head < 255)); then
    total=$((head + ${#1} + 23))
    printf -v head '\\x%02x' "$head"
  else
    total=$((head + ${#1} + 27))
    word_of "$head"
    head="\\xff$word"
  fi
  word_of "$total"
  total=$word
  word_of "$mc_tag"
  # The parts: magic, size; topic; payload; RFC 3's PROTO: magic, version, request, topic and payload, no user, no role,
  # rank 0.
  # shellcheck disable=SC2059
  printf "\\x12\\x00\\xee\\xff$total$length%s$head%s\\x00\
\\x14\\x8e\\x01\\x01\\x03\\xff\\xff\\xff\\xff\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00$word" "$1" "$2" >&"$mc_asks"
}

# read_number BYTES sets `number`.
read_number() {
  local byte code left
  number=0
  for ((left = $1; left > 0; left--)); do
    IFS= read -r -d '' -n 1 -t "$wait" -u "$mc_answers" byte || return 1
    printf -v code '%d' "'$byte"
    [[ -n $byte ]] || code=0
    number=$((number * 256 + (code & 255)))
  done
}

# hear SECONDS: reads an answer: its tag, its error number and its JSON. False without an answer within this time. What is
# no message is left out: the relay's greeting, or the rest of an answer to a script that has ended.
hear() {
  local LC_ALL=C wait=$1 number left part text='' place=0 magic=(18 0 238 255)
  while ((place < 4)); do
    read_number 1 || return 1
    if ((number == magic[place])); then
      place=$((place + 1))
    else
      place=$((number == magic[0]))
    fi
  done
  wait=10
  read_number 4 || return 1
  # The answer's last eight bytes are two numbers. A zero byte ends a read, unless the bytes end at it.
  left=$((number - 8))
  while ((left > 0)); do
    IFS= read -r -d '' -n "$left" -t "$wait" -u "$mc_answers" part || return 1
    left=$((left - ${#part} - (${#part} < left)))
    text+=$part$'\n'
  done
  read_number 4 || return 1
  mc_error=$number
  read_number 4 || return 1
  mc_answered=$number
  # The byte before the JSON is its length, which may look like a brace.
  mc_json=${text#*\{}
  mc_json="{"${mc_json%%$'\n'*}
  mc_json=${mc_json/#\{\{/\{}
}

# ask TOPIC JSON: true if the answer is no error. False with an mc_error above 0 if Flux refuses. Without an answer, which
# is awaited for mc_patience at most, mc_error is 0, and -1 if the relay has ended with its broker.
ask() {
  # shellcheck disable=SC2154 # rescue.sh sets both
  local tag end=$((SECONDS + mc_patience)) last=$mc_until
  tell "$@"
  tag=$mc_tag
  while ((SECONDS <= end && SECONDS < last)); do
    if hear 1; then
      ((mc_answered != tag)) || return "$((mc_error > 0))"
    elif ! relay_lives; then
      mc_error=-1
      return 1
    fi
  done
  mc_error=0
  return 1
}

# raise ask|tell ID SEVERITY TYPE NOTE: sends the request that raises an exception of a job. The id is decimal.
raise() {
  "$1" job-manager.raise "{\"id\":$2,\"severity\":$3,\"type\":\"$4\",\"note\":\"$5\"}"
}

# Sets `decimal` to the number of a job's id in F58.
decimal_of() {
  local LC_ALL=C id=${1#ƒ} digits=123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz place rest
  [[ $id != "$1" ]] || id=${id#f}
  decimal=0
  for ((place = 0; place < ${#id}; place++)); do
    rest=${digits%%"${id:place:1}"*}
    decimal=$((decimal * 58 + ${#rest}))
  done
}
