import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { imageFromEnv, torchImage } from "../../scripts/local/images";
import { root } from "../../scripts/local/paths";
import { makeClaim } from "../e2e/support/claim";
import { useLanguage } from "../e2e/support/languages";
import { useNamespace } from "../e2e/support/namespace";
import { doTo } from "../e2e/support/podActions";
import { sharedCluster } from "../e2e/support/sharedCluster";
import { operations } from "../e2e/support/stack";
import { until } from "../e2e/support/until";

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

async function importTorch(): Promise<string> {
    const { cluster } = await sharedCluster();
    const chosen = (await imageFromEnv()) ?? (await torchImage());
    if (chosen.tar !== undefined) {
        await cluster.importImage(chosen.tar);
    }
    return chosen.name;
}

/**
 * PyTorch for CPUs from Debian's packages, with the stand-in for Flux. With FLUX_IMAGE, that image has to have PyTorch
 * too.
 */
describe("PyTorch", function () {
    this.timeout(1_800_000);
    const namespace = useNamespace();
    let outputs: Record<string, any>;

    before(async () => {
        const args = {
            image: await importTorch(),
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

/** The example with the evictions of a follower and of the lead. Its output says what an eviction costs. */
describe("The example pytorch", function () {
    this.timeout(1_800_000);
    const namespace = useNamespace();
    const dir = join(root, "examples", "pytorch");

    it("ends with the same result after two evictions, and loses no step by them", async () => {
        const image = await importTorch();
        const removeClaim = await makeClaim(namespace, "data");
        const running = namespace.page("pytorch", image).run();
        await untilStep(100);
        await doTo(namespace, "train", 0, "pod is evicted");
        await untilStep(300);
        await doTo(namespace, "train", 1, "pod is evicted");
        const printed = (await running).join("");
        const attempts = [
            ...printed.matchAll(/^attempt (\d) \((.*)\): 2 ranks at step (\d+)(?:, ([\d.]+) s after it was saved)?$/gm),
        ];
        assert.deepEqual(
            attempts.map(([, number, reason]) => [number, reason]),
            [
                ["2", "lead-loss"],
                ["3", "rank-loss"],
            ],
            printed,
        );
        const saved = [...printed.matchAll(/^saved at step (\d+), because a pod leaves$/gm)].map(([, step]) => step);
        assert.deepEqual(saved, [attempts[1][3]], printed);
        console.log(
            `      seconds lost by the evictions of the lead and of a follower: ${attempts.map((each) => each[4]).join(", ")}`,
        );
        const undisturbed = await result(image);
        console.log(`      ${undisturbed}`);
        assert.ok(printed.includes(undisturbed), `${printed} doesn't have ${undisturbed}`);
        await removeClaim();
    });

    const python = useLanguage("python");
    for (const [language, program] of [
        ["TypeScript", () => ({ dir })],
        ["Python", () => python("pytorch")],
    ] as const) {
        it(`asks for GPUs with the configuration gpus, in a preview of the program in ${language}`, async () => {
            const config = { image: "ghcr.io/example/flux-pytorch:latest", gpus: "8" };
            const { events } = await namespace.stack("gpus", program(), config).preview();
            assert.equal(operations(events)["train-job"], "create");
            const job = events.find(({ resourcePreEvent }) => resourcePreEvent?.metadata.urn.endsWith("::train-job"));
            const { template } = job?.resourcePreEvent?.metadata.new?.inputs.manifest.spec ?? {};
            const [{ env, resources }] = template.spec.containers;
            const value = (name: string) => env.find((each: any) => each.name === name)?.value;
            assert.deepEqual(resources.limits, { "nvidia.com/gpu": "8" });
            assert.deepEqual([value("MINICLUSTER_TASKS"), value("MINICLUSTER_GPUS_PER_TASK")], ["16", "1"]);
        });
    }

    /** Waits until the log of the lead tells so many steps. */
    async function untilStep(step: number): Promise<void> {
        await until(`step ${step}`, async () => {
            const [lead] = await namespace.pods("train");
            const log = { namespace: namespace.name, name: lead?.metadata?.name ?? "", container: "flux" };
            const text = await namespace.kube.core.readNamespacedPodLog(log).catch(() => "");
            const told = [...text.matchAll(/progress .* step (\d+) of/g)];
            return Number(told.at(-1)?.[1]) >= step || undefined;
        });
    }

    /** The last line of a training that nothing disturbs. */
    async function result(image: string): Promise<string> {
        const program = readFileSync(join(dir, "train.py"), "utf8");
        const { outputs } = await namespace
            .stack("plain", async () => {
                const environment = {
                    CHECKPOINT: "/tmp/checkpoint",
                    STEPS: "600",
                    SAVE_EVERY: "600",
                    STEP_SECONDS: "0",
                    OMP_NUM_THREADS: "1",
                };
                const command = ["python3", "-c", program];
                const plain = new MiniCluster("plain", { image, size: 2, command, environment, rendezvous: {} });
                return { output: plain.output };
            })
            .up();
        return /^done: .*$/m.exec(outputs.output)?.[0] ?? outputs.output;
    }
});
