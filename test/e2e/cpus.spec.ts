import assert from "node:assert/strict";

import { FluxJob, MiniCluster, Placement } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

/** Prints the CPUs of a task. It needs no PATH. */
const SHOW = 'while read -r a b; do [[ $a != Cpus_allowed_list: ]] || echo "$b"; done </proc/self/status';
const RUN = `flux run -N2 bash -c '${SHOW}'`;

describe("the CPUs of ranks that share a node", () => {
    const namespace = useNamespace();
    /** The CPUs of the node, twice. */
    let both = "";
    let events: string[] = [];
    let outputs: Record<string, any> = {};

    before(async function () {
        const { image } = namespace;
        const stack = namespace.stack("shared", async () => {
            const shared = new MiniCluster("shared", { image, size: 2, cores: 1, restful: { enabled: false } });
            const job = new FluxJob("job", { cluster: shared, command: ["bash", "-c", SHOW], nodes: 2, tasks: 2 });
            const free = new MiniCluster("free", { image, size: 2, launcher: true, command: ["bash", "-c", RUN] });
            const plain = new MiniCluster("plain", {
                image,
                size: 2,
                command: ["bash", "-c", SHOW],
                resources: { requests: { cpu: "100m" } },
            });
            return { job: job.output, free: free.output, plain: plain.output };
        });
        const result = await stack.up();
        outputs = result.outputs;
        events = result.events.flatMap(({ diagnosticEvent }) => diagnosticEvent?.message ?? []);
        const all = await exec(SHOW);
        if (all === "0\n") {
            this.skip();
        }
        both = all + all;
    });

    const exec = (program: string) => namespace.exec("shared", ["bash", "-c", program]);

    for (const [door, output] of [
        ["a FluxJob", "job"],
        ["a launcher", "free"],
        ["the command", "plain"],
    ] as const) {
        it(`are all free for ${door}`, () => assert.equal(outputs[output], both));
    }

    it("are all free for a job of kubectl exec, also without an environment", async () => {
        assert.equal(await exec(RUN), both);
        assert.equal(await exec(RUN.replace("-N2", "-N2 --env-remove='*'")), both);
    });

    it("are bound for a job that asks for it", async () => {
        assert.equal(await exec(RUN.replace("-N2", "-N2 -o cpu-affinity=on")), "0\n0\n");
    });

    it("are as many cores as the arguments say", async () => {
        const cores = "flux resource list --states=all --no-header --format='{ncores}'";
        assert.equal(await exec(cores), "2\n");
    });

    it("are told when the cluster is ready, if each rank counts them", () => {
        const said = events.filter((message) => /ranks 0-1 share node \S+, and each counts all CPUs/.test(message));
        assert.equal(said.length, 1, events.join("\n"));
    });
});

describe("the CPUs of a rank that has its node for itself", () => {
    const namespace = useNamespace();

    it("are bound to the tasks of its jobs", async () => {
        const stack = namespace.stack("alone", async () => {
            const args = { image: namespace.image, size: 1, placement: Placement.Exclusive, launcher: true };
            const run = `flux run bash -c '${SHOW}'`;
            return { output: new MiniCluster("alone", { ...args, cores: 1, command: ["bash", "-c", run] }).output };
        });
        assert.equal((await stack.up()).outputs.output, "0\n");
    });
});

describe("the shared memory of a rank", () => {
    const namespace = useNamespace();

    it("is named by the failure of a command that has filled it", async () => {
        const fill = "head -c 4194304 /dev/zero >/dev/shm/x; ls -l /dev/shm/x; exit 1";
        const stack = namespace.stack("full", async () => {
            const { image } = namespace;
            new MiniCluster("full", { image, sharedMemory: "1Mi", command: ["bash", "-c", fill] });
        });
        const { text } = await stack.fails("up");
        assert.match(text, /The command ended with exit code 1\. A program that fills \/dev\/shm ends so\./);
    });
});
