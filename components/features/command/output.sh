#!/usr/bin/env bash
# The output of an ephemeral cluster's command; lead.sh sources this file. In Flux' own store, each byte of an output
# costs the broker's memory several bytes while `flux run` reads it. So if the first shell of the command's job runs in
# this pod, it writes to named pipes of this pod instead. Else, and if the user has options for the output, `flux run`
# reads it.

# The common part of the pipes' paths, empty without pipes.
mc_output=

# Job shells of this pod run the file, and only the command's job has the option.
open_output() {
  local path=$MINICLUSTER_RUN/output
  rm -f "$path".{stdout,stderr}
  (umask 077 && mkfifo "$path".{stdout,stderr} && mkdir -p "$MINICLUSTER_RUN/shell") || return 0
  printf >"$MINICLUSTER_RUN/shell/output.lua" '%s\n' \
    'local output, options = shell.options.output or {}, shell.options' \
    'if options.minicluster and shell.info.rank == 0 and not (output.stdout or output.limit or options.pty) then' \
    "output.stdout = { type = \"file\", path = \"$path.stdout\" }" \
    "output.stderr = output.stderr or { type = \"file\", path = \"$path.stderr\" }" \
    'options.output = output' \
    'end' || return 0
  mc_output=$path
}

# follow WORD...: runs flux with these words, which follow the command's job, and prints the job's output. Until the end,
# this process can write to the pipes: without a first writer, a reader would wait without end. A job may kill flux,
# about which bash would print words of its own.
follow() {
  local mc_readers=() mc_code
  if [[ -z $mc_output ]]; then
    { (exec flux "$@" 2>&5 5>&-); } 5>&2 2>/dev/null
    return
  fi
  # A pipe that is open for both doesn't wait for another process.
  exec 5<>"$mc_output.stdout"
  exec 6>"$mc_output.stdout"
  exec 7<"$mc_output.stdout"
  exec 5<>"$mc_output.stderr"
  exec 8>"$mc_output.stderr"
  exec 9<"$mc_output.stderr" 5>&-
  pass_on <&7 &
  mc_readers+=("$!")
  pass_on <&9 >&2 &
  mc_readers+=("$!")
  exec 7<&- 9<&-
  {
    exec flux "$@" 2>&1 >&4 5>&- 6>&- 8>&- | without_redirects >&5 2>&5 6>&- 8>&-
    mc_code=${PIPESTATUS[0]}
  } 4>&1 5>&2 2>/dev/null
  exec 6>&- 8>&-
  ((mc_code)) || await_writers "${mc_readers[@]}"
  # If this flux was killed, the job may still run. Its output is printed until the broker ends.
  if ! has_writer "${mc_readers[@]}"; then
    await_readers "${mc_readers[@]}"
  elif ((mc_code == 0)); then
    say "the command has ended, and another process keeps its output open"
  elif ((mc_code > 128)); then
    say "flux $1 ended with $mc_code while the command still ran"
  fi
  return "$mc_code"
}

# The broker sends SIGHUP to this process group when it ends, and tasks may have last words.
pass_on() {
  trap '' HUP INT QUIT TERM
  exec cat 6>&- 7<&- 8>&- 9<&-
}

# The job shell ends before its job. A program that one of its plugins has started may have the pipes for ever.
await_writers() {
  local tries
  for ((tries = 0; tries < 30; tries++)); do
    has_writer "$@" || return 0
    sleep 1
  done
}

await_readers() {
  local reader code
  for reader; do
    wait "$reader" 2>/dev/null
    code=$?
    if ((code)); then
      say "output of the command is lost: its reader ended with $code"
      ((mc_code)) || mc_code=$code
    fi
  done
}

# Passes on what `flux run` prints on its standard error, but its lines about our pipes. They come before other output.
# A task's `pkill cat` must not end it, because the command's `flux run` would end with it.
without_redirects() {
  local line
  trap '' HUP INT QUIT TERM
  while IFS= read -r line; do
    case $line in
    *" redirected to $mc_output."*) continue ;;
    esac
    printf '%s\n' "$line"
    # Flux' own messages, such as those of exceptions, may come before.
    [[ $line =~ ^[0-9]+\.[0-9]+s:\  ]] || exec cat
  done
  printf '%s' "$line"
}

# has_writer READER...: true if a process other than the readers has a pipe open. The end of a job comes after that of its
# shells.
has_writer() {
  local file pid
  for file in /proc/[0-9]*/fd/*; do
    pid=${file#/proc/}
    [[ $file -ef $mc_output.stdout || $file -ef $mc_output.stderr ]] || continue
    [[ " $* " == *" ${pid%%/*} "* ]] || return 0
  done
  return 1
}
