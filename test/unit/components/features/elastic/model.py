"""Random histories of a queue, in which elastic_rule.py sizes a simulated cluster: model.py HISTORIES SEED.

The simulation has its own scheduler, which fills ranks as sched-simple does: first in, first out, and on the rank with
the most free cores. Prints one line for each broken rule, and a summary as JSON."""

# pyright: basic, reportMissingImports=false

import json
import random
import sys

sys.path.insert(0, "components/features/elastic")
sys.path.insert(0, "components/parts")
sys.path.insert(0, "provider/contract")

from elastic_place import Rank, Request
from elastic_rule import Look, Rule


class Broken(Exception):
    """A rule that the history breaks."""


class Job:
    def __init__(self, number, request, seconds):
        self.number, self.request, self.seconds = number, request, seconds
        self.ends, self.parts = None, {}


class Cluster:
    """Ranks that join and leave after some seconds, a queue, and its scheduler."""

    def __init__(self, chance, least, most, cores, gpus):
        self.chance, self.least, self.most = chance, least, most
        self.cores, self.gpus = cores, gpus
        self.size = chance.randint(least, most)
        self.joined = dict.fromkeys(range(self.size), 0)
        self.gone = {}
        self.drained, self.kept = set(), set()
        self.pending, self.running = [], []
        self.now = 0

    def free(self, rank):
        used = [job.parts[rank] for job in self.running if rank in job.parts]
        return self.cores - sum(c for c, _ in used), self.gpus - sum(g for _, g in used)

    def online(self):
        return {rank for rank, at in self.joined.items() if at <= self.now}

    def allocate(self, request, ranks):
        """The parts of a job on these ranks, or None."""
        free = {rank: self.free(rank) for rank in ranks}
        idle = {rank for rank in ranks if free[rank] == (self.cores, self.gpus)}

        def slots(rank):
            if request.exclusive and rank not in idle:
                return 0
            cores, gpus = free[rank]
            return min(cores // request.cores, gpus // request.gpus if request.gpus else 1 << 30)

        order = sorted(ranks, key=lambda rank: (-free[rank][0], rank))
        parts = {}
        if request.nodes:
            fitting = [rank for rank in order if slots(rank) >= request.slots][: request.nodes]
            if len(fitting) < request.nodes:
                return None
            for rank in fitting:
                whole = free[rank]
                part = request.slots * request.cores, request.slots * request.gpus
                parts[rank] = whole if request.exclusive else part
            return parts
        missing = request.slots
        for rank in order:
            count = min(missing, slots(rank))
            if count:
                parts[rank] = count * request.cores, count * request.gpus
                missing -= count
        return None if missing else parts

    def schedule(self):
        while self.pending:
            job = self.pending[0]
            parts = self.allocate(job.request, sorted(self.online() - self.drained - self.kept))
            if parts is None:
                return
            job.parts, job.ends = parts, self.now + job.seconds
            self.running.append(self.pending.pop(0))

    def finish(self):
        done = [job for job in self.running if job.ends <= self.now]
        self.running = [job for job in self.running if job.ends > self.now]
        # A recreated rank is undrained when it has joined.
        for rank, at in self.gone.items():
            if at == self.now and rank < self.size:
                self.joined[rank] = self.now + self.chance.randint(1, 8)
        self.gone = {rank: at for rank, at in self.gone.items() if at > self.now}
        for rank, at in self.joined.items():
            if at == self.now:
                self.drained.discard(rank)
        return done

    def resize(self, size):
        for job in self.running:
            if any(rank >= size for rank in job.parts):
                raise Broken(f"job {job.number} on {sorted(job.parts)} is killed by size {size}")
        for rank in range(size, self.size):
            if rank in self.joined:
                del self.joined[rank]
                self.gone[rank] = self.now + self.chance.randint(1, 5)
        for rank in range(self.size, size):
            if rank not in self.gone and rank not in self.joined:
                self.joined[rank] = self.now + self.chance.randint(1, 8)
        self.size = size

    def look(self):
        used = {}
        for rank in range(self.most):
            cores, gpus = self.free(rank)
            if (cores, gpus) != (self.cores, self.gpus):
                used[rank] = self.cores - cores, self.gpus - gpus
        ranks = {rank: Rank(self.cores, self.gpus) for rank in range(self.most)}
        pending = [(job.number, job.request) for job in self.pending]
        ours = (self.drained & self.online()) - self.kept
        return Look(self.size, ranks, used, pending, ours, set(self.kept), self.drained | self.kept)

    def act(self, step):
        self.drained.difference_update(step.undrain)
        if self.drained & set(step.drain):
            raise Broken(f"ranks {self.drained & set(step.drain)} are drained twice")
        self.drained.update(step.drain)
        if step.resize is not None:
            self.resize(step.resize)


def random_request(chance, cores, gpus, most):
    """Some requests are larger than the whole cluster."""
    shape = chance.random()
    width = chance.randint(1, cores)
    devices = chance.randint(0, gpus) if chance.random() < 0.3 else 0
    if shape < 0.5:
        return Request(1, width, devices)
    if shape < 0.7:
        return Request(chance.randint(1, most * cores + 1), chance.randint(1, cores), devices)
    nodes = chance.randint(1, most + (chance.random() < 0.1))
    return Request(chance.randint(1, max(1, cores // width)), width, 0, nodes, chance.random() < 0.4)


class History:
    """One cluster with a random load."""

    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        cores, gpus = chance.choice([1, 2, 4, 8]), chance.choice([0, 0, 2])
        least = chance.randint(1, 3)
        self.cluster = Cluster(chance, least, least + chance.randint(1, 7), cores, gpus)
        self.rule = Rule(least, self.cluster.most, chance.choice([5, 20, 60]))
        self.late, self.first, self.numbers, self.resizes = 0, None, 0, []
        # Kept ranks: an administrator has drained them.
        if chance.random() < 0.1:
            self.cluster.kept = {chance.randrange(self.cluster.most)}

    def submit(self, request, seconds):
        self.numbers += 1
        self.cluster.pending.append(Job(self.numbers, request, seconds))

    def fits(self, request):
        cluster = self.cluster
        idle = Cluster(self.chance, 1, cluster.most, cluster.cores, cluster.gpus)
        return idle.allocate(request, [rank for rank in range(cluster.most) if rank not in cluster.kept]) is not None

    def turn(self):
        cluster = self.cluster
        done = cluster.finish()
        cluster.schedule()
        step = self.rule.step(cluster.look(), cluster.now)
        # Jobs arrive, and the scheduler works, between the look and the step.
        self.arrive()
        cluster.schedule()
        before = cluster.size
        cluster.act(step)
        if cluster.size != before:
            self.resizes.append((cluster.now, cluster.size - before))
        if not self.rule.least <= cluster.size <= self.rule.most:
            raise Broken(f"the size is {cluster.size}")
        self.check_need()
        cluster.now += 1
        return done

    def arrive(self):
        """Replaced by the kind of load."""

    def check_need(self):
        """The first job of the queue gets the ranks that it lacks within two looks, if it could start on them."""
        cluster = self.cluster
        head = cluster.pending[0].request if cluster.pending else None
        everywhere = [rank for rank in range(cluster.most) if rank not in cluster.kept]
        # A rank that joins later is undrained then.
        blocked = cluster.drained & cluster.online()
        here = [rank for rank in everywhere if rank < cluster.size and rank not in blocked]
        lacks = head is not None and cluster.allocate(head, everywhere) and not cluster.allocate(head, here)
        first = cluster.pending[0].number if lacks else None
        self.late = self.late + 1 if lacks and first == self.first else int(bool(lacks))
        self.first = first
        if self.late > 2:
            raise Broken(f"job {cluster.pending[0].number} lacks ranks for {self.late} looks at size {cluster.size}")


class Bursts(History):
    """Bursts of random jobs, and pauses. In the end all jobs have run, and the cluster is small again."""

    def run(self):
        chance, cluster = self.chance, self.cluster
        for _ in range(chance.randint(1, 4)):
            for _ in range(chance.randint(1, 25)):
                request = random_request(chance, cluster.cores, cluster.gpus, cluster.most)
                if self.fits(request):
                    self.submit(request, chance.choice([1, 3, 10, 40]))
            for _ in range(chance.randint(1, 90)):
                self.turn()
        while cluster.pending or cluster.running:
            self.turn()
            if cluster.now > 50_000:
                raise Broken(f"job {cluster.pending[0].number} never starts at size {cluster.size}")
        ended = cluster.now
        while cluster.size > self.rule.least:
            self.turn()
            if cluster.now > ended + self.rule.patience + 15:
                raise Broken(f"the idle cluster keeps size {cluster.size}")


class Stream(History):
    """Jobs that arrive one by one, at random."""

    def arrive(self):
        chance, cluster = self.chance, self.cluster
        if chance.random() < self.rate:
            request = random_request(chance, cluster.cores, cluster.gpus, max(1, cluster.most // 2))
            if self.fits(request):
                self.submit(request, chance.randint(1, 40))

    def run(self):
        self.rate = self.chance.choice([0.02, 0.1, 0.3])
        for _ in range(400):
            self.turn()


class Constant(History):
    """A constant load: each job that ends is submitted again. The size must settle."""

    def run(self):
        chance, cluster = self.chance, self.cluster
        for _ in range(chance.randint(1, 12)):
            request = random_request(chance, cluster.cores, cluster.gpus, cluster.most)
            if self.fits(request):
                self.submit(request, chance.randint(1, self.rule.cooldown))
        settled = 16 * self.rule.cooldown
        length = settled + 16 * self.rule.cooldown
        while cluster.now < length:
            for job in self.turn():
                self.submit(job.request, job.seconds)
        # Jobs that end together need fewer ranks for a moment, so a smaller size is tried now and then.
        late = [at for at, change in self.resizes if at > settled and change > 0]
        if len(late) > 6:
            raise Broken(f"the cluster grows {len(late)} times under a constant load")


def main():
    histories, seed = int(sys.argv[1]), int(sys.argv[2])
    resizes = broken = 0
    for number in range(seed, seed + histories):
        history = (Bursts, Bursts, Stream, Constant)[number % 4](number)
        try:
            history.run()
        except Broken as error:
            broken += 1
            print(f"history {number} ({type(history).__name__}), second {history.cluster.now}: {error}")
        resizes += len(history.resizes)
    print(json.dumps({"histories": histories, "resizes": resizes, "broken": broken}))


main()
