import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import type { PlainArgs } from "../../../../../components/args";
import { Placement } from "../../../../../components/features/placement";
import { Sandbox } from "../../../support/sandbox";

/** The CPUs of a pod, as the kernel tells them. */
interface Machine {
    /** The CPUs on which the container may run. */
    readonly list: string;
    /** Content of cpu.max. */
    readonly quota?: string;
    /** Other files of the cgroup. */
    readonly files?: Readonly<Record<string, string>>;
    /** The hyper-threads of each core. */
    readonly cores?: readonly (readonly number[])[];
}

const guaranteed = (cpu: string): Partial<PlainArgs> => ({ resources: { limits: { cpu, memory: "1Gi" } } });
const requests = (cpu: string): Partial<PlainArgs> => ({ resources: { requests: { cpu } } });

/** Four cores of two hyper-threads. */
const FOUR_CORES: Machine = {
    list: "0-7",
    cores: [
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
    ],
};

describe("start-cpus.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** Runs the script on a machine that its files describe. */
    async function run(args: Partial<PlainArgs>, { cores = [], files = {}, list, quota }: Machine): Promise<string> {
        pod = new Sandbox(args);
        pod.write(
            "proc/self/status",
            `Name:\tbash\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`,
        );
        Object.entries(quota === undefined ? files : { "cpu.max": quota }).forEach(([name, text]) =>
            pod.write(`sys/fs/cgroup/${name}`, `${text}\n`),
        );
        for (const core of cores) {
            core.forEach((cpu) =>
                pod.write(`sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`, `${core.join(",")}\n`),
            );
        }
        for (const script of ["start-cpus.sh", "cpus-topology.sh"]) {
            const file = `etc/flux-minicluster/${script}`;
            if (pod.has(file)) {
                pod.write(file, pod.read(file).replaceAll(/\/(?=(?:proc|sys)\/)/g, `${pod.root}/`));
            }
        }
        const { code, stderr } = await pod.run("start-cpus");
        assert.equal(code, 0, stderr);
        return stderr;
    }

    const owners: [string, Partial<PlainArgs>, Machine, boolean][] = [
        ["the rank has the node for itself", { placement: Placement.Exclusive }, { list: "0-7" }, true],
        ["the CPU set has the size of the limit", guaranteed("4"), { list: "0-1,4,6" }, true],
        ["the CPU set has another size than the limit", guaranteed("4"), { list: "0-7" }, false],
        ["the CPU limit isn't a whole number", guaranteed("1500m"), { list: "0" }, false],
        ["there are no amounts", {}, { list: "0-3" }, false],
        [
            "there is no memory limit, so that the kubelet gives no CPU set",
            { resources: { limits: { cpu: "4" } } },
            { list: "0-3" },
            false,
        ],
        ["there is only a request", requests("4"), { list: "0-3" }, false],
        [
            "a sidecar keeps the pod from being Guaranteed",
            { ...guaranteed("4"), sidecars: [{ name: "log", image: "log" }] },
            { list: "0-3" },
            false,
        ],
        [
            "an affinity of the user replaces the rule of exclusive",
            { placement: Placement.Exclusive, affinity: {} },
            { list: "0-3" },
            false,
        ],
        [
            "the CPU request is below the limit",
            { resources: { limits: { cpu: "4", memory: "1Gi" }, requests: { cpu: "2" } } },
            { list: "0-3" },
            false,
        ],
    ];
    for (const [where, args, machine, isBound] of owners) {
        it(`${isBound ? "leaves the binding to Flux" : "switches the binding off"} if ${where}`, async () => {
            assert.equal(await run(args, machine), "");
            assert.equal(pod.has("run/flux/rc/initrc.lua"), !isBound);
        });
    }

    const said: [string, Partial<PlainArgs>, Machine, string][] = [
        [
            "a quota below the limit",
            { resources: { limits: { cpu: "4" } } },
            { list: "0-7", quota: "50000 100000" },
            "asked for 4 CPUs, but the quota of the container is 0.5: a LimitRange, a webhook or a resize has set this limit (docs/cpus.md)",
        ],
        [
            "a quota below the cores",
            { cores: 2 },
            { list: "0-7", quota: "125000 100000" },
            "asked for 2 CPUs, but the quota of the container is 1.25: a LimitRange, a webhook or a resize has set this limit (docs/cpus.md)",
        ],
        [
            "more cores than CPUs",
            { cores: 16 },
            { list: "0-5,8" },
            "Flux counts 16 cores in this rank, but it may use 7 CPUs (0-5,8): see cores in docs/cpus.md",
        ],
    ];
    for (const [what, args, machine, text] of said) {
        it(`says that there is ${what}`, async () => {
            assert.equal(await run(args, machine), `minicluster: ${text}\n`);
        });
    }

    for (const [what, args, machine] of [
        [
            "the quota of its own limit",
            { resources: { limits: { cpu: "500m" } } },
            { list: "0-7", quota: "50000 100000" },
        ],
        ["a quota above a request of less than a CPU", requests("100m"), { list: "0-7", quota: "50000 100000" }],
        ["a quota that is rounded", { resources: { limits: { cpu: "1m" } } }, { list: "0-7", quota: "1000 100000" }],
        ["more CPUs than cores", { cores: 2 }, { list: "0-7", quota: "max 100000" }],
        ["CPUs that it can't find out", { cores: 2 }, { list: "" }],
    ] as const) {
        it(`says nothing of ${what}`, async () => {
            assert.equal(await run(args, machine), "");
        });
    }

    for (const [file, quota, found] of [
        ["cpu.max", "250000 100000", "2500\n"],
        ["cpu.max", "50000 200000", "250\n"],
        ["cpu.max", "max 100000", undefined],
        ["cpu/cpu.cfs_quota_us", "250000", "2500\n"],
        ["cpu/cpu.cfs_quota_us", "-1", undefined],
    ] as const) {
        it(`finds ${JSON.stringify(found)} in the quota ${quota} of ${file}`, async () => {
            await run({}, { list: "0-7", files: { [file]: quota, "cpu/cpu.cfs_period_us": "100000" } });
            assert.equal(pod.has("run/flux/quota") ? pod.read("run/flux/quota") : undefined, found);
        });
    }

    it("leaves the quota out if the arguments give the cores", async () => {
        await run(requests("2"), { list: "0-7", quota: "200000 100000" });
        assert.equal(pod.has("run/flux/quota"), false);
    });

    it("removes what an earlier container of the pod has found", async () => {
        await run(guaranteed("4"), { list: "0-7" });
        await run(guaranteed("8"), { list: "0-7" });
        assert.equal(pod.has("run/flux/rc"), false);
    });

    /** The PUs in the order in which Flux takes cores, by package, as hwloc sorts them. */
    function order(): number[][] {
        const packages = pod.read("run/flux/topology.xml").split('type="Package"').slice(1);
        return packages.map((text) => [...text.matchAll(/type="PU" os_index="(\d+)"/g)].map(([, cpu]) => Number(cpu)));
    }

    const threads: [string, Machine, Partial<PlainArgs>, number[][] | undefined][] = [
        [
            "siblings that are far apart",
            FOUR_CORES,
            { placement: Placement.Exclusive, ...requests("7") },
            [
                [0, 1, 2, 3],
                [4, 5, 6, 7],
            ],
        ],
        [
            "siblings side by side in a CPU set",
            {
                list: "2-5",
                cores: [
                    [2, 3],
                    [4, 5],
                ],
            },
            guaranteed("4"),
            [
                [2, 4],
                [3, 5],
            ],
        ],
        [
            "a core of which only one thread is in the CPU set",
            {
                list: "0-2",
                cores: [
                    [0, 1],
                    [2, 3],
                ],
            },
            guaranteed("3"),
            [[0, 2], [1]],
        ],
        ["cores without threads", { list: "0-3" }, guaranteed("4"), undefined],
        ["threads if Flux counts cores", FOUR_CORES, { placement: Placement.Exclusive, ...requests("4") }, undefined],
        [
            "threads of CPUs that other pods use",
            {
                list: "0-3",
                cores: [
                    [0, 1],
                    [2, 3],
                ],
            },
            requests("4"),
            undefined,
        ],
    ];
    for (const [what, machine, args, expected] of threads) {
        it(`${expected === undefined ? "has no topology for" : "takes all cores before their second threads, with"} ${what}`, async () => {
            await run(args, machine);
            assert.equal(pod.has("run/flux/topology.xml"), expected !== undefined);
            assert.deepEqual(expected === undefined ? undefined : order(), expected);
        });
    }

    it("writes sets of more than 32 CPUs as hwloc reads them", async () => {
        const cores = Array.from({ length: 40 }, (_, core) => [core, core + 40]);
        await run({ placement: Placement.Exclusive, ...requests("80") }, { list: "0-79", cores });
        const text = pod.read("run/flux/topology.xml");
        assert.match(text, /type="Machine" os_index="0" cpuset="0x0000ffff,0xffffffff,0xffffffff"/);
        assert.match(text, /type="Package" os_index="1" cpuset="0x0000ffff,0xffffff00,0x00000000"/);
        assert.match(text, /type="PU" os_index="64" cpuset="0x00000001,0x00000000,0x00000000"/);
    });
});

describe("start-cpus.sh in a pod that shares its CPUs", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** Runs the script where Flux' own file is in the pod's folder. */
    async function run(args: Partial<PlainArgs> = {}): Promise<string> {
        pod = new Sandbox(args);
        pod.write("etc/shell/lua.d/mpi/spectrum.lua", "-- MPI");
        const { code, stderr } = await pod.run("start-cpus", [], { INITRC_STUB: pod.path("etc/shell/initrc.lua") });
        assert.equal(code, 0, stderr);
        return pod.read("run/flux/rc/initrc.lua");
    }

    const nested = (stub: string) =>
        spawnSync(pod.path("run/flux/rc/rc1.d/bind-off"), {
            encoding: "utf8",
            env: { ...pod.variables, FLUX_STUB: stub },
        });

    it("gives the job shells a file that reads Flux' own, beside a copy of its folder", async () => {
        const text = await run();
        assert.match(text, /^if shell\.options\["cpu-affinity"\] == nil then/);
        assert.ok(text.endsWith(`\nsource_if_exists ("${pod.path("etc/shell/initrc.lua")}")\n`), text);
        assert.equal(pod.read("run/flux/rc/lua.d/mpi/spectrum.lua"), "-- MPI");
    });

    it("lets the file stand for one of the user's", async () => {
        const attributes = { "conf.shell_initrc": "/site/initrc.lua", "log-level": "3" };
        assert.match(await run({ broker: { attributes } }), /\nsource_if_exists \("\/site\/initrc\.lua"\)\n$/);
    });

    it("gives it to a broker that a job starts with the same Flux", async () => {
        await run();
        assert.equal(nested(`[[ $1 != getattr ]] || echo ${pod.path("etc/shell/initrc.lua")}`).status, 0);
        const own = pod.path("run/flux/rc/initrc.lua");
        assert.deepEqual(pod.calls.at(-1), ["flux", "setattr", "conf.shell_initrc", own]);
    });

    it("leaves a broker alone that has another file, and never ends one", async () => {
        await run();
        assert.equal(nested("[[ $1 != getattr ]] || echo /spack/etc/initrc.lua").status, 0);
        assert.deepEqual(pod.calls.at(-1), ["flux", "getattr", "conf.shell_initrc"]);
        assert.equal(nested("exit 1").status, 0);
    });

    it("is followed by a broker with this file, whatever the user's attributes and hooks are", async () => {
        const attributes = { "conf.shell_initrc": "/site/initrc.lua" };
        pod = new Sandbox({ broker: { attributes }, hooks: { pre: "export FLUX_RC_EXTRA=/site/rc" } });
        await pod.run("start", ["x"], { FLUX_STUB: "[[ $1 != broker ]] || exit 0" });
        const broker = pod.calls.find(([, verb]) => verb === "broker") ?? [];
        const given = broker.filter((word) => word.startsWith("-Sconf.shell_initrc="));
        assert.deepEqual(given, [
            "-Sconf.shell_initrc=/site/initrc.lua",
            `-Sconf.shell_initrc=${pod.path("run/flux/rc/initrc.lua")}`,
        ]);
    });
});

describe("describe-ranks.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    /** The options of \`flux R encode\`, for a rank that Flux describes so; undefined if it writes no file. */
    async function described(args: Partial<PlainArgs>, short: string, quota?: number): Promise<string[] | undefined> {
        pod = new Sandbox(args);
        if (quota !== undefined) {
            pod.write("run/flux/quota", `${quota}\n`);
        }
        const stubs = { SHORT_STUB: short, FLUX_STUB: '[[ $2 != encode ]] || echo "{}"' };
        const { code, stderr } = await pod.run("describe-ranks", [pod.path("R")], stubs);
        assert.equal(code, 0, stderr);
        return pod.has("R") ? pod.calls.at(-1)?.slice(3) : undefined;
    }

    const persistent = { command: [] };
    const gpus = { resources: { limits: { "nvidia.com/gpu": "2" } } };
    const cases: [string, Partial<PlainArgs>, string, number | undefined, string[] | undefined][] = [
        ["what Flux finds", persistent, "", undefined, ["--local"]],
        ["a single core", gpus, "rank0/core0", undefined, ["--cores=0", "--gpus=0-1"]],
        ["cores of a quota", persistent, "rank0/core[0-7]", 2500, ["--cores=0-1"]],
        ["one core of a small quota", persistent, "rank0/core[0-7]", 100, ["--cores=0"]],
        ["all cores of a quota that has more", persistent, "rank0/core[0-3]", 6000, ["--cores=0-3"]],
        ["GPUs of the limits", gpus, "rank0/core[0-3,8-11],gpu[0-7]", undefined, ["--cores=0-3,8-11", "--gpus=0-1"]],
        ["nothing if Flux gathers", {}, "rank0/core[0-7]", undefined, undefined],
        ["nothing if Flux gathers, and the quota is no limit", {}, "rank0/core[0-3]", 6000, undefined],
        ["cores of a quota, which Flux can't gather", {}, "rank0/core[0-7]", 2000, ["--cores=0-1"]],
    ];
    for (const [what, args, short, quota, expected] of cases) {
        it(`describes ${what}`, async () => {
            const options = await described(args, short, quota);
            assert.deepEqual(options, expected && ["--hosts=lammps-[0-3]", ...expected]);
        });
    }
});
