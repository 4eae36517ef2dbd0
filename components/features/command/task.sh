#!/usr/bin/env bash
# One task of the command: adds what its rank's pod has in its environment and a jobspec must not carry, and
# takes out the marks by which lead.sh keeps Flux from reading the words.
# shellcheck source=/dev/null
source "$1"
shift
# Variables, because bash 4.2 keeps quotes in a replacement; with names that no task uses.
minicluster_marked=$'{\001'
minicluster_plain='{'
exec "${@//$minicluster_marked/$minicluster_plain}"
