#!/bin/sh
# Init container: writes hosts, passwd and group, which are mounted over the files of the image in the broker's
# container. The pod's user may not write to the image's files.
set -eu

# with_account FILE NAME NUMBER LINE: prints FILE without the accounts of this name or number, and then LINE.
with_account() {
  [ ! -e "$1" ] || while IFS= read -r line || [ -n "$line" ]; do
    rest=${line#*:*:}
    [ "${line%%:*}" = "$2" ] || [ "${rest%%:*}" = "$3" ] || printf '%s\n' "$line"
  done <"$1"
  printf '%s\n' "$4"
}

# has_account FILE NAME NUMBER: true if an account has both this name and this number.
has_account() {
  [ -e "$1" ] || return 1
  while IFS= read -r line || [ -n "$line" ]; do
    rest=${line#*:*:}
    [ "${line%%:*}" != "$2" ] || [ "${rest%%:*}" != "$3" ] || return 0
  done <"$1"
  return 1
}

copy() {
  [ ! -e "$1" ] || while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line"
  done <"$1"
}

# shellcheck source=components/parts/run.sh
. "${0%/*}/run.sh"

umask 022
if [ -n "${MINICLUSTER_HOSTS:-}" ]; then
  copy "$MINICLUSTER_HOSTS" >"$MINICLUSTER_PREPARED/hosts"
fi
if [ -n "${MINICLUSTER_USER:-}" ]; then
  need_programs user:id user:mkdir
  uid=$(id -u)
  gid=$(id -g)
  for file in "$MINICLUSTER_PASSWD" "$MINICLUSTER_GROUP"; do
    [ ! -e "$file" ] || { [ -f "$file" ] && [ -r "$file" ]; } ||
      fail 78 "user $uid can't read the image's $file; make it a readable file, or give podSecurityContext.runAsUser in place of user"
  done
  if has_account "$MINICLUSTER_PASSWD" "$MINICLUSTER_USER" "$uid"; then
    copy "$MINICLUSTER_PASSWD" >"$MINICLUSTER_PREPARED/passwd"
  else
    home=$MINICLUSTER_HOME
    mkdir -p "$home" || fail 78 "user $uid can't create its home $home"
    with_account "$MINICLUSTER_PASSWD" "$MINICLUSTER_USER" "$uid" \
      "$MINICLUSTER_USER:x:$uid:$gid::$home:/bin/bash" >"$MINICLUSTER_PREPARED/passwd"
  fi
  if has_account "$MINICLUSTER_GROUP" "$MINICLUSTER_USER" "$gid"; then
    copy "$MINICLUSTER_GROUP" >"$MINICLUSTER_PREPARED/group"
  else
    with_account "$MINICLUSTER_GROUP" "$MINICLUSTER_USER" "$gid" "$MINICLUSTER_USER:x:$gid:" >"$MINICLUSTER_PREPARED/group"
  fi
fi
