#!/bin/sh
# Init container: makes the files that the broker's container gets in place of its image's: hosts, passwd and group.
# A pod's user may not write those, and what it lacks it can't add.
set -eu

# Lines without the accounts of this name or number, then a line of its own: with_account FILE NAME NUMBER LINE
with_account() {
  [ ! -e "$1" ] || while IFS= read -r line || [ -n "$line" ]; do
    rest=${line#*:*:}
    [ "${line%%:*}" = "$2" ] || [ "${rest%%:*}" = "$3" ] || printf '%s\n' "$line"
  done <"$1"
  printf '%s\n' "$4"
}

# An account that the image has as it is wanted stays as it is.
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

umask 022
if [ -n "${MINICLUSTER_HOSTS:-}" ]; then
  copy "$MINICLUSTER_HOSTS" >"$MINICLUSTER_PREPARED/hosts"
fi
if [ -n "${MINICLUSTER_USER:-}" ]; then
  uid=$(id -u)
  gid=$(id -g)
  if has_account "$MINICLUSTER_PASSWD" "$MINICLUSTER_USER" "$uid"; then
    copy "$MINICLUSTER_PASSWD" >"$MINICLUSTER_PREPARED/passwd"
  else
    home=$MINICLUSTER_HOME
    mkdir -p "$home"
    with_account "$MINICLUSTER_PASSWD" "$MINICLUSTER_USER" "$uid" \
      "$MINICLUSTER_USER:x:$uid:$gid::$home:/bin/bash" >"$MINICLUSTER_PREPARED/passwd"
  fi
  if has_account "$MINICLUSTER_GROUP" "$MINICLUSTER_USER" "$gid"; then
    copy "$MINICLUSTER_GROUP" >"$MINICLUSTER_PREPARED/group"
  else
    with_account "$MINICLUSTER_GROUP" "$MINICLUSTER_USER" "$gid" "$MINICLUSTER_USER:x:$gid:" >"$MINICLUSTER_PREPARED/group"
  fi
fi
