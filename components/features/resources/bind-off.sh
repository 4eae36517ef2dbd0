#!/bin/sh
# The broker runs this script before its rank joins (FLUX_RC_EXTRA), in a pod whose CPUs other pods use too: brokers that
# share a node don't know each other, so each would bind its first task to the first core. From here on, the job shells of
# this rank bind tasks only if the job asks for it. It is done by the file that each job shell reads, whatever the job's
# environment is; Flux' own one belongs to the image. A broker that a job starts runs this script as well.
folder=${0%/rc1.d/*}
own=$folder/initrc.lua
file=$(flux getattr conf.shell_initrc) && [ "$file" != "$own" ] || exit 0
cp -R "${file%/*}/lua.d" "$folder" 2>/dev/null
printf '%s\n' \
  "local folder, extra = \"$folder\", shell.getenv (\"FLUX_RC_EXTRA\") or \"\"" \
  'if shell.options["cpu-affinity"] == nil then shell.options["cpu-affinity"] = "off" end' \
  'if not (":" .. extra .. ":"):find (":" .. folder .. ":", 1, true) then' \
  'shell.setenv ("FLUX_RC_EXTRA", extra == "" and folder or folder .. ":" .. extra)' \
  'end' \
  "source_if_exists (\"$file\")" >"$own.$$" &&
  mv "$own.$$" "$own" && flux setattr conf.shell_initrc "$own"
exit 0
