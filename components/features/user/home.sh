#!/usr/bin/env bash
# Sourced by start.sh. A container's HOME is that of the image's passwd, which may not know the user.
unset HOME
HOME=~
export HOME USER=$MINICLUSTER_USER LOGNAME=$MINICLUSTER_USER
