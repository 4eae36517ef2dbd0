import assert from "node:assert/strict";

import { useApi } from "../../support/fakeApi";
import { FAULTS } from "./faults";
import { HEALTHY } from "./healthy";
import { assertShown, CLUSTER, examined, findings, NEW, putCluster } from "./support";

/** Marks that the Job controller gives the pod of rank 0. */
const LEAD = {
    "batch.kubernetes.io/job-completion-index": "0",
    "batch.kubernetes.io/job-name": "lammps-doctor",
};

const LEVELS = ["fail", "unchecked", "warn"] as const;

describe("minicluster doctor", () => {
    const api = useApi(putCluster);

    for (const [what, subject] of [
        ["a healthy cluster", CLUSTER],
        ["a namespace that has all that a cluster needs", NEW],
    ] as const) {
        it(`finds no fault in ${what}`, async () => {
            const groups = await examined(api, subject);
            assert.deepEqual(
                LEVELS.flatMap((level) => findings(groups, level)),
                [],
            );
        });

        it(`writes nothing but reviews of access and dry runs (${what})`, async () => {
            await examined(api, subject);
            const writes = api.requests.filter((request) => !/^(GET|EXEC) /.test(request));
            const kinds = new Set(writes.map((request) => request.replace(/^POST .*\/(\w+\??)(.*)$/, "$1$2")));
            const dryRun = "?dryRun=All&fieldValidation=Warn";
            assert.deepEqual([...kinds].sort(), [`jobs${dryRun}`, `pods${dryRun}`, "selfsubjectaccessreviews"]);
        });
    }

    for (const { make, state, warns = [] } of HEALTHY) {
        it(`finds no fault in a cluster: ${state}`, async () => {
            make(api);
            const groups = await examined(api, CLUSTER);
            assert.deepEqual([...findings(groups, "fail"), ...findings(groups, "unchecked")], []);
            const found = findings(groups, "warn");
            assert.deepEqual(
                found.filter((text) => !warns.some((each) => each.test(text))),
                [],
            );
            assert.equal(found.length, warns.length);
        });
    }

    for (const { fault, isShown, level, make, says } of FAULTS) {
        it(`finds ${fault}`, async () => {
            make(api);
            const groups = await examined(api, CLUSTER);
            const found = findings(groups, level);
            const index = found.findIndex((line) => says.test(line));
            assert.ok(index >= 0, found.join("\n"));
            if (isShown) {
                assertShown(groups, level, index);
            }
        });
    }

    it("tries the Job and the pod of the cluster with one rank, without the marks of the live Job", async () => {
        await examined(api, CLUSTER);
        const [job, pod] = api.tried;
        assert.deepEqual([job.metadata.name, job.spec.parallelism, job.spec.completions], ["lammps-doctor", 1, 1]);
        assert.deepEqual(job.spec.template.metadata.labels, { team: "physics" });
        assert.deepEqual(
            [pod.kind, pod.metadata.generateName, pod.metadata.labels],
            ["Pod", "lammps-doctor-0-", { ...LEAD, team: "physics" }],
        );
        assert.equal(pod.spec.containers[0].image, "registry.example/flux:1");
    });

    it("doesn't count a full quota as a failure if the cluster has all its pods", async () => {
        const message = 'pods "a" is forbidden: exceeded quota: team, requested: cpu=2, used: cpu=4, limited: cpu=4';
        api.fail(/pods\?dryRun/, 403, { message });
        const groups = await examined(api, CLUSTER);
        assert.deepEqual(findings(groups, "fail"), []);
        assert.match(findings(groups, "ok").join("\n"), /^admission: a further pod would exceed the quota/m);
    });

    it("says of each later group why it isn't checked", async () => {
        api.accepts = () => false;
        const groups = await examined(api, CLUSTER);
        const names = [
            "rights",
            "cluster",
            "admission",
            "quota",
            "nodes",
            "pods",
            "image",
            "DNS",
            "brokers",
            "ranks",
            "queue",
            "events",
        ];
        assert.deepEqual(
            findings(groups, "unchecked"),
            names.map((name) => `${name}: the API server doesn't work`),
        );
    });

    it("asks Flux in one command", async () => {
        await examined(api, CLUSTER);
        assert.equal(api.requests.filter((request) => request.startsWith("EXEC")).length, 1);
    });
});
