"""Prints a table of the results of the jobs in ANALYSES."""

import os
import subprocess
from statistics import mean, stdev

rows = []
for analysis in os.environ["ANALYSES"].split():
    output = subprocess.run(["flux", "job", "attach", analysis], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows.append([int(number) for number in output.split()])

title = f"{len(rows)} simulations"
print(f"{title:22}  least     mean greatest  deviation")
for column, name in enumerate(("worst day", "infected on this day", "days until the end")):
    numbers = [row[column] for row in rows]
    print(f"{name:22}{min(numbers):7}{mean(numbers):9.1f}{max(numbers):9}{stdev(numbers):11.1f}")
