"""Simulates an epidemic among 1,000 people. The seed is in the first word. Prints the infected people of each day."""

import random
import sys

PEOPLE = 1000
CONTACTS = 0.35  # infections by one infected person on the first day
RECOVERY = 0.1  # part of the infected people who recover on a day

rng = random.Random(int(sys.argv[1]))
healthy, infected = PEOPLE - 10, 10
while infected > 0:
    print(infected)
    risk = 1 - (1 - CONTACTS / PEOPLE) ** infected
    infections = sum(rng.random() < risk for _ in range(healthy))
    recoveries = sum(rng.random() < RECOVERY for _ in range(infected))
    healthy -= infections
    infected += infections - recoveries
