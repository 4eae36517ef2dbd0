#!/usr/bin/env bash
# One task of the command: adds what its rank's pod has in its environment and a jobspec must not carry, and
# takes out the marks by which lead.sh keeps Flux from reading the words.
# shellcheck source=/dev/null
source "$1"
shift
exec "${@//$'{\001'/'{'}"
