import assert from "node:assert/strict";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { imageFromEnv, torchImage } from "../../scripts/local/images";
import { useNamespace } from "../e2e/support/namespace";
import { sharedCluster } from "../e2e/support/sharedCluster";

/**
 * Adds the numbers of all ranks, and makes one step of a model with one weight. Its gradient is the mean of the ranks'
 * inputs, so all ranks have the weight 1 - 0.1 * 2.5 after it.
 */
const STEP = `
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
value = torch.tensor([rank + 1.0])
dist.all_reduce(value)
layer = torch.nn.Linear(1, 1, bias=False)
with torch.no_grad():
    layer.weight.fill_(1.0)
model = DistributedDataParallel(layer)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.tensor([[rank + 1.0]])).sum().backward()
optimizer.step()
print(f"rank {rank} of {size}: sum {value.item():g}, weight {layer.weight.item():g}", flush=True)
dist.barrier()
`;

const EXPECTED = [0, 1, 2, 3].map((rank) => `rank ${rank} of 4: sum 10, weight 0.75`);

/**
 * PyTorch for CPUs from Debian's packages, with the stand-in for Flux. With FLUX_IMAGE, that image has to have PyTorch
 * too.
 */
describe("PyTorch", function () {
    this.timeout(1_800_000);
    const namespace = useNamespace();
    let outputs: Record<string, any>;

    before(async () => {
        const { cluster } = await sharedCluster();
        const chosen = (await imageFromEnv()) ?? (await torchImage());
        if (chosen.tar !== undefined) {
            await cluster.importImage(chosen.tar);
        }
        const args = {
            image: chosen.name,
            size: 2,
            environment: { OMP_NUM_THREADS: "1" },
            resources: { limits: { cpu: "2" }, requests: { cpu: "100m" } },
        };
        const program = ["python3", "-c", STEP];
        // Each task of Flux is a node of torchrun, which starts two processes there. Without --redirects and --tee, PyTorch
        // 1.13 fails with Python 3.11.
        const options = ["--nproc_per_node=2", "--redirects=1", "--tee=1", "--no_python"];
        const torchrun = ["python3", "-m", "torch.distributed.run", ...options, ...program];
        const stack = namespace.stack("torch", async () => {
            const stays = new MiniCluster("stays", { ...args, restful: { enabled: false } });
            const alone = new MiniCluster("alone", { ...args, tasks: 4, command: program, rendezvous: {} });
            const job = new FluxJob("job", {
                cluster: stays,
                nodes: 2,
                tasks: 4,
                command: program,
                rendezvous: { port: 29_500 },
            });
            const launched = new MiniCluster("launched", { ...args, tasks: 2, command: torchrun, rendezvous: {} });
            return { alone: alone.output, job: job.output, launched: launched.output };
        });
        ({ outputs } = await stack.up());
    });

    const ranksIn = (output: string) =>
        output
            .split("\n")
            .map((line) => line.replace(/^\[default\d\]:/, ""))
            .filter((line) => line.startsWith("rank "))
            .sort();

    it("adds up over four ranks and makes a step of DDP without a launcher", () => {
        assert.deepEqual(ranksIn(outputs.alone), EXPECTED, outputs.alone);
    });

    it("does the same in a FluxJob", () => assert.deepEqual(ranksIn(outputs.job), EXPECTED, outputs.job));

    it("does the same with torchrun", () => {
        assert.deepEqual(ranksIn(outputs.launched), EXPECTED, outputs.launched);
    });
});
