import assert from "node:assert/strict";

import { MiniCluster, WaitFor } from "flux-minicluster";

import { requestsOf } from "../e2e/support/auditLog";
import { runningPulumi } from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { peakMegabytesDuring } from "./support/memory";

describe("stack of 20 MiniClusters", () => {
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

    // The host needs 130 MB for Pulumi's SDK and 20 MB for the Kubernetes client. ConfigMaps take a third of the rest,
    // because each passes through the host several times.
    it("takes at most 150 MB, and 7 MB for each cluster, in the host of dynamic resources", () => {
        assert(megabytes > 0 && megabytes <= 150 + 7 * names.length, `${megabytes} MB`);
    });

    it("creates its clusters in parallel", () => {
        const made = requestsOf(namespace.username).filter(({ resource }) => ["jobs", "services"].includes(resource));
        const jobs = made.flatMap(({ resource, verb }, index) =>
            resource === "jobs" && verb === "create" ? [index] : [],
        );
        const services = made.flatMap(({ resource, verb }, index) =>
            resource === "services" && verb === "patch" ? [index] : [],
        );
        assert.equal(jobs.length, names.length);
        // If the clusters were created one after the other, the first Job would precede the last cluster's Services.
        assert(Math.max(...services) < Math.max(...jobs) && jobs[0] > services[names.length]);
    });
});
