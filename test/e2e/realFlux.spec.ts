import assert from "node:assert/strict";

import { FluxJob, type FluxJobArgs, MiniCluster } from "flux-minicluster";

import { minorIn, SCHEDULES_GPUS } from "../double/support/version";
import { ChangingCluster } from "./support/changing";
import { makeClaim } from "./support/claim";
import { fakeResources } from "./support/fakeResources";
import { useNamespace } from "./support/namespace";
import { grant } from "./support/rights";
import { until } from "./support/until";

type Args = Omit<FluxJobArgs, "cluster">;

/** Enough for the seven ranks of the three clusters. */
const GPUS = { "example.com/gpu": 16 };
const resources = { limits: { cpu: "2", "example.com/gpu": "2" }, requests: { cpu: "100m" } };
const show = (text: string) => ["sh", "-c", `echo "$FLUX_TASK_RANK ${text}"`];
const CPUS = show("$(sed -n 's/^Cpus_allowed_list:\\s*//p' /proc/self/status)");
const VISIBLE = show("${CUDA_VISIBLE_DEVICES-none}");
const MPI = show("${OMPI_MCA_btl_vader_backing_directory:+openmpi}/${PMI_FD:+simple}");

/** Jobs with two tasks, and what the tasks print. */
const JOBS: Readonly<Record<string, [args: Args, expected: readonly string[]]>> = {
    "binds each task to its cores": [
        { command: CPUS, nodes: 1, tasks: 2, shellOptions: { "cpu-affinity": "per-task" } },
        ["0 0", "1 1"],
    ],
    "binds each task to the cores of a map": [
        { command: CPUS, nodes: 1, tasks: 2, shellOptions: { "cpu-affinity": "map:1;0" } },
        ["0 1", "1 0"],
    ],
    "shows each task all cores of the job without binding": [
        { command: CPUS, nodes: 1, tasks: 2, shellOptions: { "cpu-affinity": "off" } },
        ["0 0-1", "1 0-1"],
    ],
    "prepares Open MPI, and PMI over a descriptor": [
        { command: MPI, nodes: 2, tasks: 2 },
        ["0 openmpi/simple", "1 openmpi/simple"],
    ],
    "prepares no MPI with mpi=none": [
        { command: MPI, nodes: 2, tasks: 2, shellOptions: { mpi: "none" } },
        ["0 /simple", "1 /simple"],
    ],
    "gives tasks no PMI with pmi=off": [
        { command: MPI, nodes: 2, tasks: 2, shellOptions: { pmi: "off" } },
        ["0 openmpi/", "1 openmpi/"],
    ],
    "places tasks in turns with taskmap": [
        { command: show("$(hostname)"), nodes: 2, tasks: 4, shellOptions: { taskmap: '{"scheme":"cyclic"}' } },
        ["0 real-0", "1 real-1", "2 real-0", "3 real-1"],
    ],
};

/** Jobs that ask for GPUs. Flux' own scheduler gives them since 0.84. */
const GPU_JOBS: typeof JOBS = {
    "shows each task its GPU": [
        { command: VISIBLE, nodes: 1, tasks: 2, gpusPerTask: 1, shellOptions: { "gpu-affinity": "per-task" } },
        ["0 0", "1 1"],
    ],
    "shows each task the GPUs of a map": [
        { command: VISIBLE, nodes: 1, tasks: 2, gpusPerTask: 1, shellOptions: { "gpu-affinity": "map:1;0" } },
        ["0 1", "1 0"],
    ],
    "shows all tasks all GPUs of the job without an affinity": [
        { command: VISIBLE, nodes: 1, tasks: 2, gpusPerTask: 1 },
        ["0 0,1", "1 0,1"],
    ],
};

/**
 * What the stand-in for Flux doesn't imitate: without FLUX_IMAGE, these tests are skipped. The tests of Fluxion and of
 * Snakemake also need an image with flux-sched, and with Snakemake and its plugin for Flux.
 */
describe("real Flux", () => {
    const namespace = useNamespace();
    let jobs: Record<string, any> = {};
    let fluxion: Record<string, any> = {};
    let undo = () => {};
    let has = { fluxion: false, gpus: false, snakemake: false };

    before(async function () {
        if (!process.env.FLUX_IMAGE) {
            this.skip();
        }
        undo = await fakeResources(namespace.kube, GPUS);
        const args = { image: namespace.image, size: 2, resources, restful: { enabled: false } };
        let asked: typeof JOBS = {};
        const stack = namespace.stack("real", async () => {
            const cluster = new MiniCluster("real", args);
            const made = Object.values(asked).map(([job], index) => new FluxJob(`job-${index}`, { ...job, cluster }));
            return Object.fromEntries(Object.keys(asked).map((title, index) => [title, made[index].output]));
        });
        await stack.up();
        const version = await namespace.exec("real", ["flux", "version"]);
        has = {
            fluxion: (await namespace.exec("real", ["bash", "-c", FIND_FLUXION])).includes("yes"),
            gpus: minorIn(version) >= SCHEDULES_GPUS,
            snakemake: (await namespace.exec("real", ["bash", "-c", FIND_SNAKEMAKE])).includes("yes"),
        };
        asked = { ...JOBS, ...(has.gpus ? GPU_JOBS : {}) };
        ({ outputs: jobs } = await stack.up());
        if (has.fluxion) {
            const broker = { scheduler: "fluxion", extraConfig: CONFIG };
            const other = namespace.stack("fluxion", async () => {
                const cluster = new MiniCluster("fluxion", { ...args, broker });
                const one = { cluster, nodes: 1, tasks: 2, gpusPerTask: 1 };
                const debug = { ...one, command: show("$(hostname)"), fluxQueue: "debug" };
                return {
                    default: new FluxJob("default", { ...one, command: VISIBLE }).output,
                    debug: new FluxJob("debug", debug).output,
                };
            });
            ({ outputs: fluxion } = await other.up());
        }
    });

    after(() => undo());

    const lines = (output: string) => output.trimEnd().split("\n").sort();

    for (const [title, [, expected]] of Object.entries(JOBS)) {
        it(title, () => assert.deepEqual(lines(jobs[title]), [...expected].sort()));
    }

    for (const [title, [, expected]] of Object.entries(GPU_JOBS)) {
        it(title, function () {
            if (!has.gpus) {
                this.skip();
            }
            assert.deepEqual(lines(jobs[title]), expected);
        });
    }

    it("ends a job with its first failing task with exit-on-error", async () => {
        const program = "[ $FLUX_TASK_RANK = 0 ] || exit 3; sleep 1000";
        const run = `flux run -n2 -o exit-on-error sh -c '${program}' || echo "code $?"`;
        assert.match(await namespace.exec("real", ["bash", "-c", run]), /^code \d+$/m);
    });

    describe("with Snakemake", () => {
        before(function () {
            if (!has.snakemake) {
                this.skip();
            }
        });

        it("runs the rules of its example as Flux jobs, as the page says", async () => {
            await grant(namespace, "configmaps", "patch");
            const removeClaim = await makeClaim(namespace, "work");
            const [log, destroyed] = await namespace.page("snakemake").run();
            assert.match(log ?? "", /^5050$/m);
            // Only local rules run without the executor.
            assert.match(log ?? "", /--executor flux [^]*^Provided remote nodes: 8$/m);
            assert.equal(log?.match(/^rule \w+:$/gm)?.length, 6, log);
            assert.match(destroyed ?? "", /deleted/);
            await removeClaim();
        });
    });

    describe("with Fluxion", () => {
        before(function () {
            if (!has.fluxion) {
                this.skip();
            }
        });

        it("runs the jobs of a queue on the hosts that have its property", () => {
            assert.deepEqual(lines(fluxion.debug), ["0 fluxion-1", "1 fluxion-1"]);
        });

        it("schedules GPUs and gives each queue its jobs", async () => {
            assert.deepEqual(lines(fluxion.default), ["0 0,1", "1 0,1"]);
            const queues = await namespace.exec("fluxion", ["flux", "jobs", "-ano", "{name} {queue}"]);
            assert.deepEqual(lines(queues), ["debug debug", "default batch"]);
        });

        it("runs the modules in place of Flux' own scheduler", async () => {
            const modules = await namespace.exec("fluxion", ["flux", "module", "list"]);
            assert.match(modules, /^sched-fluxion-qmanager /m);
            assert.doesNotMatch(modules, /^sched-simple /m);
        });

        it("fills gaps by the policy easy, and only where the limits allow it", async () => {
            const run = `
long=$(flux submit -N1 -x -t 1000s sleep 1000)
flux job wait-event -q $long start
wide=$(flux submit -N2 -x -t 10s true)
flux run -N1 -x -t 100s echo filled
flux jobs -no '{state}' $wide
flux cancel $long
flux job wait-event -q $wide clean
`;
            assert.equal(await namespace.exec("fluxion", ["bash", "-c", run]), "filled\nSCHED\n");
        });

        it("tells a cluster that sizes itself what its jobs need", async () => {
            const broker = { scheduler: "fluxion", extraConfig: '[sched-fluxion-qmanager]\nqueue-policy = "easy"' };
            const args = { size: 1, maxSize: 3, elastic: { cooldown: 5 }, broker, resources };
            const cluster = new ChangingCluster(namespace, "sizes", args);
            await cluster.stack.up();
            const size = async () => (await cluster.job()).spec?.parallelism;
            const jobs = [
                await cluster.flux("submit", "-N2", "-n2", "-g1", "sleep", "inf"),
                await cluster.flux("submit", "-n1", "-c2", "-g2", "sleep", "inf"),
            ];
            const states = () => cluster.flux("jobs", "--no-header", "--format={state}", ...jobs);
            await until("both jobs run", async () => (await states()) === "RUN\nRUN" || undefined);
            assert.equal(await size(), 3);
            await cluster.flux("cancel", "--all", "--quiet");
            await until("the size is 1", async () => (await size()) === 1 || undefined);
        });

        it("refuses more GPUs than a node has", async () => {
            const run = "flux run -N1 -n1 -g3 true 2>&1 || true";
            assert.match(await namespace.exec("fluxion", ["bash", "-c", run]), /unsatisfiable/);
        });
    });
});

/** As the command line's `shell` and `exec` do. */
const LIKE_SHELL = ["sh", "-c", '. /run/flux/paths.env; exec flux "$@"', "sh"];

describe("real Flux with instances in jobs", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    const RANKS = [0, 1, 2];

    before(function () {
        if (!process.env.FLUX_IMAGE) {
            this.skip();
        }
    });

    const flux = async (rank: number, ...words: string[]) =>
        (await namespace.exec("outer", [...LIKE_SHELL, ...words], rank)).trim();

    it("reaches those of flux batch and flux alloc from each rank, on read-only roots", async () => {
        const securityContext = { readOnlyRootFilesystem: true };
        await new ChangingCluster(namespace, "outer", { size: RANKS.length, cores: 2, securityContext }).stack.up();
        const starts = [
            ["batch", "--output=/run/flux/nested.out", "-N1", "-n2", "--requires=rank:1", "--wrap", "sleep", "inf"],
            ["alloc", "--bg", "-N1", "-n1", "--requires=rank:2", "sleep", "inf"],
        ];
        for (const [index, words] of starts.entries()) {
            const job = (await flux(0, ...words)).split("\n").at(-1)!;
            await flux(0, "uri", "--wait", job);
            for (const rank of RANKS) {
                assert.match(await flux(rank, "uri", job), new RegExp(`^ssh://outer-${index + 1}/var/lib/flux/tmp/`));
                assert.equal(await flux(rank, "proxy", job, "flux", "run", "hostname"), `outer-${index + 1}`);
            }
            await flux(0, "proxy", job, "flux", "submit", `--job-name=in-${words[0]}`, "sleep", "inf");
        }
        const names = await flux(1, "jobs", "-Rno", "{name}");
        assert.deepEqual(names.match(/^in-.*$/gm)?.sort(), ["in-alloc", "in-batch"], names);
    });
});

const FIND_FLUXION =
    'ls $(flux env printenv FLUX_MODULE_PATH | tr : " ") | grep -q ^sched-fluxion-qmanager && echo yes || echo no';

const FIND_SNAKEMAKE = "type -P snakemake >/dev/null && echo yes || echo no";

const CONFIG = `
[sched-fluxion-qmanager]
queue-policy = "easy"

[[resource.config]]
hosts = "fluxion-1"
properties = ["debug"]

[queues.debug]
requires = ["debug"]
[queues.batch]

[policy.jobspec.defaults.system]
queue = "batch"
`;
