import assert from "node:assert/strict";

import { parseHistory } from "../../provider/flux/history";
import { HISTORY_PROGRAM } from "../../provider/flux/programs";
import { inside } from "./support/flux";
import { withSharedInstance } from "./support/instance";
import { callScript } from "./support/jobScript";

describe("The history of an instance", function () {
    this.timeout(60_000);
    const instance = withSharedInstance({ size: 3, cores: "0-1" });

    before(async () => {
        await instance().idle(3);
    });

    const shell = (text: string) => inside(["bash", "-c", text], { env: { FLUX_URI: instance().uri() } });

    async function read(most = 100) {
        const { code, stderr, stdout } = await callScript(instance(), ["ask", HISTORY_PROGRAM, String(most)]);
        assert.equal(code, 0, stderr);
        return parseHistory(stdout);
    }

    it("tells Flux' version, the cores of each rank, and when each rank joined", async () => {
        const { changes, flux, now, resources, started } = await read();
        assert.match(flux, /^0\.\d+\./);
        assert.ok(started > 1e9 && now >= started, `${started} ${now}`);
        assert.deepEqual(resources, [{ rank: "0-2", children: { core: "0-1" } }]);
        const joined = changes.filter(({ name }) => name === "online").flatMap(({ ranks }) => ranks);
        assert.ok(joined.length > 0);
        assert.ok(changes.every(({ at }) => at >= started - 1 && at <= now + 1));
    });

    it("tells the events, resources and failures of jobs, in the order of their submission", async () => {
        const { code, stderr } = await shell(
            "set -e; flux submit --job-name='a name' -N2 -n4 true; bad=$(flux submit --job-name=bad sh -c 'exit 3'); " +
                "flux job wait-event -q $bad clean; long=$(flux submit --job-name=long -N3 -x sleep inf); " +
                "flux job wait-event -q $long start; flux submit --job-name=waits true; " +
                "dead=$(flux submit --job-name=dead true); flux cancel $dead; flux job wait-event -q $dead clean",
        );
        assert.equal(code, 0, stderr);
        const { count, jobs } = await read();
        assert.equal(count, 5);
        const [named, bad, long, waits, dead] = jobs;
        assert.deepEqual(
            jobs.map(({ name }) => name),
            ["a name", "bad", "long", "waits", "dead"],
        );
        assert.deepEqual([named.status, bad.status, long.status], [0, 3 << 8, undefined]);
        const times = [named.submit, named.depend, named.alloc, named.start, named.finish, named.clean];
        assert.deepEqual(
            times,
            times.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
        );
        assert.ok(times.every((time) => time !== undefined && time > 1e9));
        assert.deepEqual(long.resources, [{ rank: "0-2", children: { core: "0-1" } }]);
        assert.deepEqual([waits.alloc, waits.resources, dead.exception?.type], [undefined, undefined, "cancel"]);
        const last = await read(2);
        assert.deepEqual([last.count, last.jobs.map(({ name }) => name)], [5, ["waits", "dead"]]);
        await shell("flux cancel --all; flux queue drain");
    });
});
