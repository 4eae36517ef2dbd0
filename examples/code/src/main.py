"""Counts the primes below a limit. Each task of the job counts its share."""

import os
import socket

from primes import count

LIMIT = 10_000

rank, size = int(os.environ["FLUX_TASK_RANK"]), int(os.environ["FLUX_JOB_SIZE"])
share = range(LIMIT * rank // size, LIMIT * (rank + 1) // size)
line = f"{socket.gethostname()}: {count(share)} primes from {share.start} to {share.stop}"
print(line)
os.makedirs("out", exist_ok=True)
with open(f"out/{rank}.txt", "w") as file:
    print(line, file=file)
