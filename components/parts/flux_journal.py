"""Reads Flux' journal of the events of all jobs: src/modules/job-manager/journal.c."""

from flux_calls import ANSWER_SECONDS
from watchdog import alive

# FLUX_JOBID_ANY: the response between the events of the jobs that are active already and the new events.
ANY = -1


class Journal:
    """The events of these names from now on, without a gap, until the broker ends."""

    def __init__(self, *names: str):
        import flux
        from flux.constants import FLUX_RPC_STREAMING

        self.names = names
        # In its own connection, because Flux ends the journal with it.
        self.handle = flux.Flux()
        # Not flux.job.JournalConsumer, which compares times: the time of a submission is earlier than its event, and
        # may come from the clock of another node.
        self.future = self.handle.rpc("job-manager.events-journal", {"full": False}, flags=FLUX_RPC_STREAMING)
        while self.next(ANSWER_SECONDS)["id"] != ANY:
            pass

    def next(self, seconds: float):
        """The next response. Raises TimeoutError after so many seconds, and another OSError if the broker has ended."""
        alive()
        answer = self.future.wait_for(seconds).get()
        self.future.reset()
        return answer

    def await_one(self, seconds: float) -> bool:
        """Waits at most so many seconds for the next event of any name. Returns True if it has one of the names."""
        try:
            return any(event["name"] in self.names for event in self.next(seconds)["events"])
        except TimeoutError:
            return False
