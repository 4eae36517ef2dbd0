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
            "the CPU request is below the limit",
            { resources: { limits: { cpu: "4", memory: "1Gi" }, requests: { cpu: "2" } } },
            { list: "0-3" },
            false,
        ],
    ];
    for (const [where, args, machine, isBound] of owners) {
        it(`${isBound ? "leaves the binding to Flux" : "switches the binding off"} if ${where}`, async () => {
            assert.equal(await run(args, machine), "");
            assert.equal(pod.has("run/flux/rc/rc1.d/bind-off"), !isBound);
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
            "a quota below the request",
            requests("2"),
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
        ["a quota that is rounded", { resources: { limits: { cpu: "1m" } } }, { list: "0-7", quota: "1000 100000" }],
        ["more CPUs than cores", { cores: 2 }, { list: "0-7", quota: "max 100000" }],
        ["CPUs that it can't find out", { cores: 2 }, { list: "" }],
    ] as const) {
        it(`says nothing of ${what}`, async () => {
            assert.equal(await run(args, machine), "");
        });
    }

    for (const [quota, list, cores] of [
        ["200000 100000", "0-7", "0-1\n"],
        ["150000 100000", "0-7", "0\n"],
        ["20000 100000", "0-7", "0\n"],
        ["max 100000", "0-7", undefined],
        ["400000 100000", "0-1", ""],
    ] as const) {
        it(`finds ${JSON.stringify(cores)} as cores in the CPUs ${list} with the quota ${quota}`, async () => {
            await run({}, { list, quota });
            assert.equal(pod.has("run/flux/cores") ? pod.read("run/flux/cores") : undefined, cores);
        });
    }

    it("reads a quota of cgroup v1", async () => {
        const read = async (quota: string) => {
            await run({}, { list: "0-7", files: { "cpu/cpu.cfs_quota_us": quota, "cpu/cpu.cfs_period_us": "100000" } });
            return pod.has("run/flux/cores") && pod.read("run/flux/cores");
        };
        assert.deepEqual([await read("250000"), await read("-1")], ["0-1\n", false]);
    });

    it("finds no cores if the arguments give them", async () => {
        await run(requests("2"), { list: "0-7", quota: "200000 100000" });
        assert.equal(pod.has("run/flux/cores"), false);
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
            {
                list: "0-7",
                cores: [
                    [0, 4],
                    [1, 5],
                    [2, 6],
                    [3, 7],
                ],
            },
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
        [
            "threads if Flux counts cores",
            {
                list: "0-7",
                cores: [
                    [0, 4],
                    [1, 5],
                    [2, 6],
                    [3, 7],
                ],
            },
            { placement: Placement.Exclusive, ...requests("4") },
            undefined,
        ],
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

describe("bind-off.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox();
        pod.write("rc/rc1.d/bind-off", `#!/bin/sh\n${pod.read("etc/flux-minicluster/bind-off.sh")}`, 0o755);
    });
    afterEach(() => pod.remove());

    const run = (stub: string) =>
        spawnSync(pod.path("rc/rc1.d/bind-off"), { encoding: "utf8", env: { ...pod.variables, FLUX_STUB: stub } });
    const own = () => pod.path("rc/initrc.lua");

    it("gives the job shells a file that reads Flux' own, beside a copy of its folder", () => {
        pod.write("etc/shell/lua.d/mpi/spectrum.lua", "-- MPI");
        const file = pod.path("etc/shell/initrc.lua");
        assert.equal(run(`[[ $1 != getattr ]] || echo ${file}`).status, 0);
        assert.deepEqual(pod.calls.at(-1), ["flux", "setattr", "conf.shell_initrc", own()]);
        const text = pod.read("rc/initrc.lua");
        assert.ok(text.endsWith(`\nsource_if_exists ("${file}")\n`), text);
        assert.match(text, /^if shell\.options\["cpu-affinity"\] == nil then/m);
        assert.equal(pod.read("rc/lua.d/mpi/spectrum.lua"), "-- MPI");
    });

    it("does nothing twice, so that its file never reads itself", () => {
        assert.equal(run(`[[ $1 != getattr ]] || echo ${own()}`).status, 0);
        assert.equal(pod.calls.length, 1);
    });

    it("doesn't end the broker if Flux refuses it", () => {
        assert.equal(run("exit 1").status, 0);
        assert.equal(run("[[ $1 == getattr ]] && echo /a/initrc.lua || exit 1").status, 0);
    });
});
