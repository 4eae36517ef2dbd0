"""Finds the worst day of one simulation. SIMULATIONS has the ids of all, and FLUX_JOB_CC the number of this job."""

import os
import subprocess

simulation = os.environ["SIMULATIONS"].split()[int(os.environ["FLUX_JOB_CC"])]
output = subprocess.run(["flux", "job", "attach", simulation], stdout=subprocess.PIPE, check=True, text=True).stdout
days = [int(line) for line in output.splitlines()]
print(days.index(max(days)), max(days), len(days))
