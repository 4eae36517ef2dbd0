#!/usr/bin/env bash
# Passes on how far a program says it is. The program writes one line into a file of its own pod, as often as it likes. On
# each node of a job, this script looks at the file, at first every five seconds and after an hour every minute, and passes
# on a new line: of the command to the log of the lead, and of a FluxJob to Flux, as a memo in the job's eventlog.
set -uo pipefail

# Seconds between two lines of the lead's log.
readonly between=5

# read_line [OPTION...]: reads a line of its standard input, and sets `line` if it is complete and has a fraction. A
# program may be writing it, and a file may have no line feed at all.
read_line() {
  local -r most=1000
  local text
  IFS= read -r -n "$most" "$@" text 2>/dev/null && ((${#text} < most)) || return
  text=${text//[[:cntrl:]]/}
  [[ $text =~ ^\ *((0?\.[0-9]+|0\.?|1(\.0*)?|[1-9](\.[0-9]+)?e-[0-9]+)(\ .*)?)$ ]] || return
  line=${BASH_REMATCH[1]:0:200}
}

# watch FILE PID: passes on what FILE says, while the process runs. Tasks of other nodes than the first one mostly tell
# nothing; if all tell something, the lead gets four lines in a second at most.
watch() {
  local file=$1 pid=$2 pause=1 fd line told=''
  # A file that stays open would delay the end of the task.
  for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    ((fd < 3 || fd == 255)) || exec {fd}>&-
  done
  while kill -0 "$pid" 2>/dev/null; do
    sleep "$pause"
    pause=$((SECONDS < 3300 ? 5 + SECONDS / 60 : 60))
    [[ ${FLUX_TASK_RANK:-0} == 0 ]] || pause=$((pause + ${FLUX_JOB_NNODES:-1} / 4))
    if [[ -s $file ]] && read_line <"$file" && [[ $line != "$told" ]]; then
      ! tell "${file%/*}" "$line" || told=$line
    fi
  done
  # The folder is in memory. The files of the command are for `end`.
  [[ -p ${file%/*}/lead || -e ${file%/*}/follower ]] || rm -f "$file"
}

# tell FOLDER LINE
tell() {
  if [[ -p $1/lead ]]; then
    send "$1/lead" "$2"
  elif [[ -e $1/follower ]]; then
    timeout 10 flux exec --rank=0 --noinput --quiet bash "$0" send "$1/lead" "$2"
  else
    timeout 10 flux job memo "$FLUX_JOB_ID" progress="$2"
  fi
} &>/dev/null

# send PIPE LINE: opened for both, a pipe doesn't wait for its reader.
send() {
  [[ -p $1 ]] && printf '%s\n' "$2" 1<>"$1"
}

# take PIPE FILE: on the lead, prints lines from the pipe in the log, seldom, and keeps the last one in the file.
take() {
  local line told='' next=0
  # shellcheck source=components/parts/run.sh
  source "$MINICLUSTER_SCRIPTS/run.sh"
  exec 3<>"$1"
  while :; do
    line=
    # Without a line to print, it waits for the next one.
    if [[ -z $told ]]; then
      read_line <&3
    else
      read_line -t "$((next > SECONDS ? next - SECONDS : 1))" <&3
    fi
    if [[ -n $line ]]; then
      told=$line
      printf '%s\n' "$line" >"$2"
    fi
    if [[ -n $told ]] && ((SECONDS >= next)); then
      say "progress $told"
      told=
      next=$((SECONDS + between))
    fi
  done
}

# end FOLDER: prints the last line of all files.
end() {
  local file line newest=''
  for file in "$1"/*; do
    [[ ! -f $file ]] || { [[ -n $newest && ! $file -nt $newest ]] || newest=$file; }
  done
  [[ -n $newest ]] && read_line <"$newest" && printf '%s\n' "$line"
}

"$@"
