import assert from "node:assert/strict";

import { MiniCluster, Placement } from "flux-minicluster";

import { type Look, sortedLines } from "./look";

/** Task 0 makes a segment of POSIX shared memory, and both tasks write to it until each has seen the other's byte. */
const program = `
import contextlib, multiprocessing.shared_memory, os, sys, time
end = time.monotonic() + 60
def until(done):
    while not done():
        if time.monotonic() > end:
            sys.exit("task " + rank + " doesn't see the other task")
        time.sleep(0.05)
def attach():
    with contextlib.suppress(FileNotFoundError, ValueError):
        return multiprocessing.shared_memory.SharedMemory(name)
rank, name = os.environ["FLUX_TASK_RANK"], sys.argv[1]
if rank == "0":
    memory = multiprocessing.shared_memory.SharedMemory(name, create=True, size=3)
else:
    found = []
    until(lambda: found.append(attach()) or found[-1])
    memory = found[-1]
memory.buf[int(rank)] = 1
until(lambda: memory.buf[0] and memory.buf[1])
print(os.uname().nodename, "sees the other")
if rank == "1":
    memory.buf[2] = 1
until(lambda: memory.buf[2])
memory.close()
with contextlib.suppress(FileNotFoundError):
    memory.unlink()
`;

export const ipc: Look = {
    subject: "with the IPC namespace of the node",

    clusters({ image, name }) {
        const command = ["python3", "-c", program, name];
        const args = { image, size: 2, tasks: 2, hostIPC: true, placement: Placement.Pack, command };
        return { ipc: new MiniCluster("ipc", args).output };
    },

    tests(outputs) {
        it("shares POSIX shared memory between the pods of a node", () => {
            const lines = sortedLines(outputs.ipc).filter((line) => line.startsWith("ipc-"));
            assert.deepEqual(lines, ["ipc-0 sees the other", "ipc-1 sees the other"]);
        });
    },
};
