import assert from "node:assert/strict";

import { provideImage, withPods } from "./support/pods/cluster";

before(provideImage);

describe("pods on nodes of different sizes", function () {
    this.timeout(120_000);

    it("run jobs on a rank with fewer cores than the lead, which describes all ranks", () =>
        // The hook is a part of the start, so the broker gets its CPUs.
        withPods({ size: 3, hooks: { worker: "taskset -cp 0 $$ >/dev/null" } }, async (cluster) => {
            await cluster.up(3);
            const cores = await cluster.flux("resource", "list", "--no-header", "--states=all", "--format={ncores}");
            assert.ok(Number(cores) >= 6, `the test needs two CPUs, and Flux has ${cores} cores`);
            assert.equal(await cluster.flux("resource", "drain", "--no-header", "--format={ranks} {reason}"), "");
            const hosts = await cluster.flux("run", "-N3", "-n3", "hostname");
            assert.deepEqual(hosts.split("\n").sort(), ["mc-0", "mc-1", "mc-2"]);
        }));
});
