import assert from "node:assert/strict";

import { parseLiveJobs } from "../../provider/flux/liveJobs";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript } from "./support/jobScript";
import { limit } from "../../scripts/tests/limits";

describe("The list of jobs that have not ended", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 3, cores: "0-1" });

    before(async () => {
        await instance().idle(3);
    });

    const shell = (text: string) => inside(["bash", "-c", text], { env: { FLUX_URI: instance().uri() } });

    async function list(most = 3) {
        const { code, stderr, stdout } = await callScript(instance(), ["list", String(most), "20"]);
        assert.equal(code, 0, stderr);
        return parseLiveJobs(stdout);
    }

    it("is empty without jobs, and after their end", async () => {
        assert.deepEqual(await list(), { running: [], pending: [] });
        await shell("flux run true");
        assert.deepEqual(await list(), { running: [], pending: [] });
    });

    it("tells the names, ranks and durations of those that run, and some of those that wait", async () => {
        const { code, stderr, stdout } = await shell(
            "set -e; wide=$(flux submit -N2 -n2 -x --job-name=wide sleep inf); " +
                "one=$(flux submit -N1 -x --job-name=$'a\\nrun\\tf1\\t0' sleep inf); " +
                "flux job wait-event -q $wide start; flux job wait-event -q $one start; " +
                "for _ in 1 2 3 4 5; do flux submit -N3 --job-name=later true; done >/dev/null; echo $wide $one; sleep 1.1",
        );
        assert.equal(code, 0, stderr);
        const ids = stdout
            .trim()
            .split(" ")
            .map((id) => id.replace("ƒ", "f"));
        const { pending, running } = await list();
        const [wide, one] = ids.map((id) => running.find(({ jobId }) => jobId === id));
        assert.equal(running.length, 2);
        assert.deepEqual([wide?.name, wide?.ranks, one?.name, one?.ranks], ["wide", "0-1", "a\nrun\tf1\t0", "2"]);
        assert.ok(
            running.every(({ seconds }) => seconds >= 1 && seconds < limit(60)),
            JSON.stringify(running),
        );
        assert.deepEqual(
            pending.map(({ name, ranks }) => [name, ranks]),
            Array.from({ length: 3 }, () => ["later", ""]),
        );
        await shell("flux cancel --all; flux queue drain");
        assert.deepEqual(await list(), { running: [], pending: [] });
    });

    it("fails if the jobs that wait can't be listed", async () => {
        const function_ = '() { [[ $* != *--filter=pending* ]] && command timeout "$@"; }';
        const { code, stderr } = await callScript(instance(), ["list", "3", "20"], {
            "BASH_FUNC_timeout%%": function_,
        });
        assert.deepEqual([code, stderr], [1, "the jobs that wait can't be listed: error 1\n"]);
    });

    it("fails if the broker doesn't answer", async () => {
        const { code, stderr } = await callScript(instance(), ["list", "3", "20"], { FLUX_URI: "local:///no/broker" });
        assert.deepEqual([code, stderr.trim().split("\n").at(-1)], [65, "the lead's broker does not answer"]);
    });
});
