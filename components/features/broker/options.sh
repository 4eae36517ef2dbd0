#!/usr/bin/env bash
# start.sh and lead.sh source this file.

# add_options PREFIX TEXT: appends an option for each line of TEXT to the array mc_options. It uses no here-string,
# because bash before 5.1 needs a writable folder for one.
add_options() {
  local mc_line mc_rest=$2
  while [[ -n $mc_rest ]]; do
    mc_line=${mc_rest%%$'\n'*}
    mc_rest=${mc_rest#"$mc_line"}
    mc_rest=${mc_rest#$'\n'}
    [[ -z $mc_line ]] || mc_options+=("$1$mc_line")
  done
}
