import assert from "node:assert/strict";
import { join } from "node:path";
import { availableParallelism } from "node:os";

import { scriptText } from "../../provider/contract/scriptText";
import { inside } from "./support/flux";
import { Instance } from "./support/instance";

const PARTS = join(__dirname, "../../components/parts");
const RESOURCES = join(__dirname, "../../components/features/resources");

/** Two hyper-threads of two cores, as cpus-topology.sh describes them. */
const THREADS = [0, 1].map((cpu) => {
    const sets = `cpuset="0x${cpu + 1}" complete_cpuset="0x${cpu + 1}" nodeset="0x1" complete_nodeset="0x1"`;
    const object = (type: string, end: string) => `<object type="${type}" os_index="${cpu}" ${sets}${end}`;
    return `${object("Package", ">")}\n${object("Core", ">")}\n${object("PU", "/>")}</object>\n</object>\n`;
});
const ALL = 'os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"';
const TOPOLOGY = `<?xml version="1.0" encoding="UTF-8"?>
<topology version="2.0">
<object type="Machine" ${ALL} allowed_cpuset="0x3" allowed_nodeset="0x1">
<object type="NUMANode" ${ALL}/>
${THREADS.join("")}</object>
</topology>
`;

describe("The binding of tasks", function () {
    this.timeout(60_000);
    let instance: Instance;

    before(function () {
        if (availableParallelism() < 2) {
            this.skip();
        }
    });
    afterEach(() => instance.remove());

    const COUNT = "bash -c 'PATH=/usr/bin:/bin; nproc'";

    /** What a program prints beside a broker with these options and variables. */
    async function say(program: string, options: string[] = [], env: Record<string, string> = {}): Promise<string> {
        const lead = await instance.broker(0, [...options, "bash", "-c", "echo started; sleep 10000"], env);
        await lead.says(/^started$/m);
        const { code, stderr, stdout } = await inside(["bash", "-c", program], { env: { FLUX_URI: instance.uri() } });
        assert.equal(code, 0, stderr);
        return stdout;
    }

    /** Runs the script of a pod that shares its CPUs. Returns what the broker gets by it. */
    async function withScript(): Promise<string> {
        instance = await Instance.create({ size: 1, cores: "0-1" });
        for (const file of ["run.sh", "start-cpus.sh"]) {
            instance.write(`scripts/${file}`, scriptText(file === "run.sh" ? PARTS : RESOURCES, file));
        }
        instance.mkdir("run");
        const { code, stderr } = await inside(["bash", instance.path("scripts/start-cpus.sh")], {
            env: {
                MINICLUSTER_EXCLUSIVE: "false",
                MINICLUSTER_RUN: instance.path("run"),
                MINICLUSTER_SCRIPTS: instance.path("scripts"),
            },
        });
        assert.equal(code, 0, stderr);
        return `-Sconf.shell_initrc=${instance.path("run/rc/initrc.lua")}`;
    }

    it("is to the cores of the job, if nothing else decides", async () => {
        instance = await Instance.create({ size: 1, cores: "0-1" });
        assert.equal(await say(`flux run ${COUNT}`), "1\n");
    });

    it("is off where start-cpus.sh has found that other pods use the CPUs, also for jobs without an environment", async () => {
        const option = await withScript();
        const all = `${availableParallelism()}\n`;
        const said = await say(`flux run ${COUNT}; flux run --env-remove='*' ${COUNT}`, [option]);
        assert.equal(said, all + all);
    });

    it("is there nevertheless for a job that asks for it", async () => {
        const option = await withScript();
        assert.equal(await say(`flux run -o cpu-affinity=on ${COUNT}`, [option]), "1\n");
    });

    it("keeps Flux' own file of the job shells, and gives tasks the folder for their brokers", async () => {
        const option = await withScript();
        const said = await say("flux run -o mpi=none bash -c 'echo $FLUX_RC_EXTRA'", [option]);
        assert.equal(said, `${instance.path("run/rc")}\n`);
    });

    it("is to single hyper-threads with a topology of cpus-topology.sh", async () => {
        instance = await Instance.create({ size: 1, cores: "0-1" });
        instance.write("topology.xml", TOPOLOGY);
        const show =
            "bash -c 'while read -r a b; do [[ $a != Cpus_allowed_list: ]] || echo $b; done </proc/self/status'";
        const said = await say(`flux run -n2 -o cpu-affinity=per-task ${show} | sort; flux run -n1 ${show}`, [], {
            FLUX_HWLOC_XMLFILE: instance.path("topology.xml"),
        });
        assert.equal(said, "0\n1\n0\n");
    });
});
