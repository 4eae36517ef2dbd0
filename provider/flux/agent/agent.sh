#!/usr/bin/env bash
# Becomes the agent. bash reads this text from standard input, and the agent the lines after it. Its words are the program and
# the text of job.sh.

# Runs the agent. It gets the environment of this call on descriptor 8, because `flux python` changes its own, and a job has
# the environment of `flux submit`.
run_agent() {
  local mc_entry
  local -a mc_environment=()
  while IFS= read -r -d '' mc_entry; do mc_environment+=("$mc_entry"); done </proc/$$/environ
  exec 8< <(printf '%s\0' "${mc_environment[@]}")
  exec flux python -c "$@"
}
