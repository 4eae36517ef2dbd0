#!/usr/bin/env bash
# The part of `flux-minicluster cp` that runs in a pod. bash reads it from standard input, and far.ts appends a call
# of `give` or `take`.
set -uo pipefail
shopt -s dotglob nullglob
unset TAR_OPTIONS
export LC_ALL=C
# Standard output, also where a pipe takes its place.
exec 3>&1

# Lines with this prefix on standard error are for the command line; others are of programs.
say() {
  printf 'minicluster-cp: %s\n' "$*" >&2
}

fail() {
  say "error $*"
  exit 64
}

need() {
  local program
  for program; do
    type -P "$program" >/dev/null || fail "the image has no $program; add it to the image (tar, or coreutils for the others)"
  done
}

# give PATH [-h]: prints PATH as a tar archive, and the archive's checksum. With -h, all links are followed.
give() {
  need basename cat dirname sha256sum tar tee wc
  local -r path=$1 follow=${2:-}
  local words
  # A link is followed if it is named, and copied as a link below that.
  if [[ -d $path ]]; then
    words=(-C "$path" "-c${follow#-}f" - .)
  elif [[ -f $path ]]; then
    words=(-C "$(dirname -- "$path")" -chf - -- "./$(basename -- "$path")")
  elif [[ -e $path || -L $path ]]; then
    fail "$path is neither a file nor a folder, or a link to nothing"
  else
    fail "there is no $path"
  fi
  local states
  begin_sum
  tar "${words[@]}" </dev/null | tee >(cat >&"$sum")
  states=("${PIPESTATUS[@]}")
  end_sum
  ((states[1] == 0)) || fail "the archive could not be sent"
  ((states[0] < 2)) || exit "${states[0]}"
  say "sha256 $digest"
  say "bytes $bytes"
  # Until the command line has all bytes: when a command has ended, the kubelet closes its connection. If a ping comes then,
  # the connection is reset, and bytes that are still on their way are lost.
  read -r _
  exit "${states[0]}"
}

# begin_sum, end_sum: set `digest` and `bytes` to the checksum and the size of what was written to descriptor $sum meanwhile.
begin_sum() {
  coproc summing { { tee >(wc -c >&5) | sha256sum; } 5>&1; }
  # Copies, because bash closes its own when it likes.
  exec {sum}>&"${summing[1]}" {sums}<&"${summing[0]}"
  eval "exec ${summing[1]}>&-"
}

end_sum() {
  local word
  exec {sum}>&-
  for _ in 1 2; do
    read -r word _ <&"$sums"
    if ((${#word} == 64)); then digest=$word; else bytes=$word; fi
  done
}

# frames: prints the content of the frames on standard input, each of which has its size in a line before it. After each
# one it prints a dot on descriptor 3, which permits the next one.
frames() {
  local size
  while IFS= read -r size && [[ $size =~ ^[0-9]+$ ]]; do
    ((size > 0)) || return 0
    head -c "$size" || return 1
    printf . >&3
  done
  return 1
}

# take KIND BASE PATH: makes PATH of the archive in the frames on standard input, once all of it has arrived. The archive
# has one entry, `content`: a file, or a folder with its content. BASE is the name in PATH if PATH is a folder; without
# BASE, the content goes into PATH itself.
take() {
  need cat chmod dirname head mkdir mktemp mv rm sha256sum stat tar tee wc
  local -r kind=$1 base=$2 path=$3
  # Without the slashes at its end.
  local final=${path%"${path##*[!/]}"} where
  [[ -n $final ]] || final=/
  if [[ -n $base && -d $path ]]; then
    final=${final%/}/$base
  elif [[ $path == */ && ! -d $path ]]; then
    fail "there is no folder $path"
  fi
  where=$(dirname -- "$final")
  # Within one file system, a move is at once.
  [[ $kind == folder && -d $final ]] && where=$final
  [[ -d $where ]] || fail "there is no folder $where"
  stage=$(mktemp -d -- "${where%/}/.minicluster-cp.XXXXXX" 2>&1) || fail "$where can't be written to: ${stage##*: }"
  trap remove_stage EXIT
  # Before anything is sent, as far as the kind tells it.
  if [[ $kind == folder ]]; then mkdir -- "$stage/content"; else : >"$stage/content"; fi
  check "$stage/content" "$final"
  rm -rf -- "$stage/content"
  receive
  check "$stage/content" "$final"
  put "$stage/content" "$final"
  say "at $final"
}

remove_stage() {
  chmod -R u+rwX -- "$stage"
  rm -rf -- "$stage"
}

# receive: extracts the archive in the frames into the stage, and compares its checksum with that of the sender.
receive() {
  local states expected
  begin_sum
  # So many are on their way at a time, which a slow connection needs.
  printf %16s '' >&3
  frames | tee >(cat >&"$sum") | tar -C "$stage" -xpof -
  states=("${PIPESTATUS[@]}")
  end_sum
  ((states[2] == 0)) || exit 65
  { ((states[0] == 0)) && read -r expected; } || fail "the connection broke"
  [[ $digest == "$expected" ]] || fail "the archive has arrived with the checksum $digest, and was sent with $expected"
  say "sha256 $digest"
}

is_folder() {
  [[ -d $1 && ! -L $1 ]]
}

# check FROM TO: fails if FROM can't be put at TO, before anything is.
check() {
  local -r from=$1 to=$2
  local name
  [[ -e $to || -L $to ]] || return 0
  [[ ! -e $to || -f $to || -d $to ]] || fail "$to is neither a file nor a folder"
  if ! is_folder "$from"; then
    ! is_folder "$to" || fail "$to is a folder, and not the file that it is to be"
    return 0
  fi
  [[ -d $to ]] || fail "$to is a file, and not the folder that it is to be"
  [[ -w $to ]] || fail "$to can't be written to"
  for name in "$from"/*; do
    [[ ! -L $to/${name##*/} ]] || ! is_folder "$name" || fail "$to/${name##*/} is a link, and not the folder that it is to be"
    check "$name" "$to/${name##*/}"
  done
}

# put FROM TO: moves a file or a folder to its place. A folder that exists gets the content, and its other files stay.
put() {
  local -r from=$1 to=$2
  local name files=() index mode
  if ! is_folder "$from"; then
    mv -fT -- "$from" "$to" || exit 65
  elif [[ ! -e $to ]]; then
    # Linux moves only a folder that its owner may write to.
    mode=$(stat -c %a -- "$from") && chmod u+w -- "$from" && mv -T -- "$from" "$to" && chmod "$mode" -- "$to" || exit 65
  else
    chmod u+rwx -- "$from" || exit 65
    for name in "$from"/*; do
      if is_folder "$name"; then
        put "$name" "$to/${name##*/}"
      else
        files+=("$name")
      fi
    done
    for ((index = 0; index < ${#files[@]}; index += 500)); do
      mv -ft "$to" -- "${files[@]:index:500}" || exit 65
    done
  fi
}
