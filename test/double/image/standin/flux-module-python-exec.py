"""The scheduler's process. The stand-in schedules in its broker: this process ends with the broker, or before it."""

import sys

sys.stdin.read()
