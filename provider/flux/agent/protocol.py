"""What the programs in the lead and the process that calls them agree on: the same as protocol.ts."""

# Exit codes: a job that Flux doesn't know, a broker that doesn't answer, a job that runs and may not be cancelled, the
# nonce of an array, a job whose code the lead doesn't have.
UNKNOWN_JOB, NO_BROKER, RUNNING, ARRAY, NO_CODE = 64, 65, 66, 67, 68
# The lead has no place at the moment, which is an answer too; the image has no bindings.
BUSY, WITHOUT_BINDINGS = 75, 78

# Seconds that a cancelled job has to end.
END_SECONDS = 60
# Seconds after which a call submits no more elements: a second call takes about a second more than one.
SUBMISSION_SECONDS = 12
# Seconds without a line after which the kernel ends the agent, also if it waits for a broker that hangs.
SILENCE_SECONDS = 60
# Default of `urgency`: that of Flux.
URGENCY = 16
