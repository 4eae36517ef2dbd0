#!/usr/bin/env bash
# Runs one task of the command. Adds the variables of GPUs, and removes the marks with which lead.sh keeps Flux from
# replacing {{NAME}} in the words.
# The GPUs of the task, in the words of their vendor. Only some clusters have such a file.
for minicluster_file in "${0%/*}"/gpus-*.sh; do
  # shellcheck source=/dev/null
  [[ ! -e $minicluster_file ]] || source "$minicluster_file"
done
# Variables, because bash 4.2 keeps quotes in a replacement. No task uses these names.
minicluster_marked=$'{\001'
minicluster_plain='{'
exec "${@//$minicluster_marked/$minicluster_plain}"
