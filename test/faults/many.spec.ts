import assert from "node:assert/strict";

import { MiniCluster, WaitFor } from "flux-minicluster";

import { requestsOf } from "../e2e/support/auditLog";
import { runningPulumi } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { peakMegabytesDuring } from "./support/memory";

describe("20 clusters in one stack", () => {
    const namespace = useNamespace();
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    let megabytes = 0;

    before(async () => {
        const args = { image: namespace.image, size: 2, suspend: true, waitFor: WaitFor.None };
        const stack = namespace.stack("many", async () => ({
            phases: names.map((name) => new MiniCluster(name, args).phase),
        }));
        const update = stack.up();
        const { host } = await runningPulumi(stack);
        megabytes = await peakMegabytesDuring(update, host.pid);
        const { outputs } = await update;
        assert.deepEqual(
            outputs.phases,
            names.map(() => "suspended"),
        );
    });

    // Pulumi's SDK alone has 130 MB of its host. Of the rest, the ConfigMaps are a third: each passes through it several times.
    it("take at most 7 MB each of the host of the dynamic resources, and 20 for the Kubernetes client", () => {
        assert(megabytes > 0 && megabytes <= 150 + 7 * names.length, `${megabytes} MB`);
    });

    it("are made side by side", () => {
        const made = requestsOf(namespace.username).filter(({ resource }) => ["jobs", "services"].includes(resource));
        const jobs = made.flatMap(({ resource, verb }, index) =>
            resource === "jobs" && verb === "create" ? [index] : [],
        );
        const services = made.flatMap(({ resource, verb }, index) =>
            resource === "services" && verb === "patch" ? [index] : [],
        );
        assert.equal(jobs.length, names.length);
        // One after the other, the first Job would come before the last cluster's Services.
        assert(Math.max(...services) < Math.max(...jobs) && jobs[0] > services[names.length]);
    });
});
