import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { type Look, sortedLines } from "./look";

/** Each task connects to the first one by the variables that PyTorch reads, and prints how many came. */
const MEET = `
import os, socket
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if rank == 0:
    server = socket.create_server(("", address[1]))
    for _ in range(size - 1):
        server.accept()
else:
    while True:
        try:
            socket.create_connection(address, 1)
            break
        except OSError:
            pass
names = ["LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "PET_NNODES", "PET_NODE_RANK"]
print(rank, "of", size, "on", os.uname().nodename, "meets at", address[0], *map(os.environ.get, names))
`;

export const rendezvous: Look = {
    subject: "with a rendezvous",

    clusters({ image }) {
        const limits = { resources: { limits: { cpu: "2" }, requests: { cpu: "100m" } } };
        const program = ["python3", "-c", MEET];
        return {
            met: new MiniCluster("met", { image, size: 2, tasks: 4, command: program, rendezvous: {}, ...limits })
                .output,
        };
    },

    tests(outputs) {
        it("lets all tasks find the first one", () => {
            assert.deepEqual(sortedLines(outputs.met), [
                "0 of 4 on met-0 meets at met-0 0 2 0 4 0",
                "1 of 4 on met-0 meets at met-0 1 2 0 4 1",
                "2 of 4 on met-1 meets at met-0 0 2 1 4 2",
                "3 of 4 on met-1 meets at met-0 1 2 1 4 3",
            ]);
        });
    },
};
