#!/usr/bin/env bash
# start.sh sources this file. The container's HOME comes from the image's passwd, which may not have the user.
unset HOME
HOME=~
export HOME USER=$MINICLUSTER_USER LOGNAME=$MINICLUSTER_USER
