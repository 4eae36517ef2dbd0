import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { requestsOf } from "./support/auditLog";
import { doctor, type Health } from "./support/doctor";
import { useNamespace } from "./support/namespace";

describe("minicluster doctor", () => {
    const namespace = useNamespace();
    const examine = (...words: string[]): Promise<Health> => doctor(namespace.kubeconfig, ...words);

    before(async () => {
        const stack = namespace.stack("patient", async () => {
            new MiniCluster("patient", { image: namespace.image, size: 2, restful: { enabled: false } });
        });
        await stack.up();
        await namespace.untilCounted("patient", 2);
    });

    it("finds no failure in a cluster that is well, and changes nothing", async () => {
        const before = requestsOf(namespace.username).length;
        const { checks, code, lines } = await examine("patient");
        const requests = requestsOf(namespace.username).slice(before);
        assert.equal(code, 0, lines);
        const warned = checks.filter(({ level }) => level !== "ok").map(({ group }) => group);
        // The namespace's account has the rights of docs/rbac.yaml only.
        assert.deepEqual([...new Set(warned)], ["rights", "nodes", "DNS"], lines);
        const isRead = (verb: string) => ["get", "list", "watch"].includes(verb);
        const writes = requests.filter(({ resource, verb }) => !isRead(verb) && resource !== "pods/exec");
        assert.deepEqual(
            [
                ...new Set(
                    writes.map(({ resource, uri, verb }) => `${verb} ${resource} ${new URL(uri, "http://x").search}`),
                ),
            ].sort(),
            [
                "create jobs ?dryRun=All&fieldValidation=Warn",
                "create pods ?dryRun=All&fieldValidation=Warn",
                "create selfsubjectaccessreviews ",
            ],
        );
        assert.equal((await namespace.pods("patient-doctor")).length, 0);
    });

    it("finds a drained rank, a stopped queue and a job that is held, each with its cure", async () => {
        const script =
            "flux resource drain 1 by hand; flux queue stop >&2; flux submit --urgency=0 --job-name=held true >&2";
        await namespace.exec("patient", ["sh", "-c", script]);
        const { code, lines } = await examine("-c", "patient");
        assert.equal(code, 1);
        assert.match(
            lines,
            /^warn brokers: rank 1 is drained \(by hand\): it takes no jobs \| .*flux resource undrain 1/m,
        );
        assert.match(lines, /^fail queue: the queue: Scheduling is stopped.* \| .*flux queue start$/m);
        assert.match(lines, /^warn queue: job held \(f\w+\) waits: it is held \(urgency 0\) \| /m);
    });
});
