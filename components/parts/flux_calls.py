"""Calls Flux' RPCs from a container beside the lead's broker."""

import collections
import errno
import typing

from watchdog import alive

# Flux tells this as the reason of each queue without a scheduler: src/modules/job-manager/queue.c
OFFLINE = "Scheduler is offline"
ANSWER_SECONDS = 10


class Broker:
    """A connection to the lead's broker. It is opened when it is needed, and again after an error."""

    def __init__(self):
        self.handle = None

    def ask(self, *calls: "tuple[str, dict]"):
        """Sends all requests at once, and returns their answers."""
        return list(self.answers(calls, len(calls)))

    def answers(self, calls: "typing.Iterable[tuple[str, dict]]", at_once: int):
        """Yields the answers of requests in their order, and keeps none. So many requests wait for theirs at a time."""
        sent = collections.deque()
        try:
            if self.handle is None:
                import flux

                alive()
                self.handle = flux.Flux()
            for topic, payload in calls:
                if len(sent) == at_once:
                    yield answer_of(sent.popleft())
                sent.append(self.handle.rpc(topic, payload))
            while sent:
                yield answer_of(sent.popleft())
        except OSError:
            self.handle = None
            raise

    def queues(self):
        """Each queue, with its state. The only queue of most clusters has no name."""
        names = self.ask(("job-manager.queue-list", {}))[0]["queues"]
        calls = [("job-manager.queue-status", {"name": name} if name else {}) for name in names or [None]]
        return dict(zip(names or [None], self.ask(*calls)))

    def scheduled_queues(self):
        """The same. Fails without a scheduler, which alone knows the resources of jobs."""
        queues = self.queues()
        if any(queue.get("stop_reason") == OFFLINE for queue in queues.values()):
            raise OSError(errno.EAGAIN, OFFLINE)
        return queues


def answer_of(future: "typing.Any") -> dict:
    alive()
    future.wait_for(ANSWER_SECONDS)
    return future.get()
