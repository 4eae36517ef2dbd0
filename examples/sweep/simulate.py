"""Follows a population with ten growth rates, from the one in the first word on. Prints a line for each rate."""

import sys

RATES = 10
STEP = 0.005


def cycle(rate: float) -> list[int]:
    """Return the sizes between which the population changes in the end, in thousandths of its greatest size."""
    size = 0.5
    for _ in range(1000):
        size = rate * size * (1 - size)
    sizes = set()
    for _ in range(60):
        size = rate * size * (1 - size)
        sizes.add(round(1000 * size))
    return sorted(sizes)


first = float(sys.argv[1])
for number in range(RATES):
    rate = first + number * STEP
    print(f"{rate:.3f}", *cycle(rate))
