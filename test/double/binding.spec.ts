import assert from "node:assert/strict";
import { join } from "node:path";
import { availableParallelism } from "node:os";

import { scriptText } from "../../provider/contract/scriptText";
import { inside } from "./support/flux";
import { Instance } from "./support/instance";

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

    /** What a program prints beside a broker with these variables. */
    async function say(program: string, variables: Record<string, string>): Promise<string> {
        const lead = await instance.broker(0, ["bash", "-c", "echo started; sleep 10000"], variables);
        await lead.says(/^started$/m);
        const env = { FLUX_URI: instance.uri() };
        const { code, stderr, stdout } = await inside(["bash", "-c", program], { env });
        assert.equal(code, 0, stderr);
        return stdout;
    }

    async function withScript(): Promise<Record<string, string>> {
        instance = await Instance.create({ size: 1, cores: "0-1" });
        instance.write("rc/rc1.d/bind-off", `#!/bin/sh\n${scriptText(RESOURCES, "bind-off.sh")}`, 0o755);
        return { FLUX_RC_EXTRA: instance.path("rc") };
    }

    it("is to the cores of the job, if nothing else decides", async () => {
        instance = await Instance.create({ size: 1, cores: "0-1" });
        assert.equal(await say(`flux run ${COUNT}`, {}), "1\n");
    });

    it("is off where bind-off.sh has run, also for jobs without an environment", async () => {
        const variables = await withScript();
        const all = `${availableParallelism()}\n`;
        const said = await say(`flux run ${COUNT}; flux run --env-remove='*' ${COUNT}`, variables);
        assert.equal(said, all + all);
    });

    it("is there nevertheless for a job that asks for it", async () => {
        const variables = await withScript();
        assert.equal(await say(`flux run -o cpu-affinity=on ${COUNT}`, variables), "1\n");
    });

    it("keeps Flux' own file of the job shells, and gives tasks the folder for their brokers", async () => {
        const variables = await withScript();
        const show = "flux run -o mpi=none bash -c 'echo $FLUX_RC_EXTRA'; flux getattr conf.shell_initrc";
        assert.equal(await say(show, variables), `${instance.path("rc")}\n${instance.path("rc/initrc.lua")}\n`);
    });

    it("is to single hyper-threads with a topology of cpus-topology.sh", async () => {
        instance = await Instance.create({ size: 1, cores: "0-1" });
        instance.write("topology.xml", TOPOLOGY);
        const show =
            "bash -c 'while read -r a b; do [[ $a != Cpus_allowed_list: ]] || echo $b; done </proc/self/status'";
        const said = await say(`flux run -n2 -o cpu-affinity=per-task ${show} | sort; flux run -n1 ${show}`, {
            FLUX_HWLOC_XMLFILE: instance.path("topology.xml"),
        });
        assert.equal(said, "0\n1\n0\n");
    });
});
