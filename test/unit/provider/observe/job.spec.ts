import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";

import { connect } from "../../../../provider/kubernetes/client";
import { clusterMark } from "../../../../provider/kubernetes/clusterMark";
import { type KnownJob, locate, mayHaveExpired } from "../../../../provider/observe/job";
import { useApi } from "../../support/fakeApi";

const NAME = { namespace: "hpc", name: "lammps" };

describe("The reader of a Job", () => {
    const api = useApi();

    const where = async (known: Partial<KnownJob>) =>
        (await locate(connect({ kubeconfig: api.kubeconfig }), { ...NAME, ...known })).where;
    const putJob = (uid: string, owner = "of another cluster", nonce?: string) =>
        api.put("jobs", {
            metadata: {
                name: "lammps",
                uid,
                ownerReferences: [{ kind: "Service", uid: owner }],
                annotations: nonce && { "flux-minicluster/nonce": nonce },
            },
        });
    const putService = (uid: string, nonce?: string) =>
        api.put("services", {
            metadata: { name: "lammps-lead", uid, annotations: nonce && { "flux-minicluster/nonce": nonce } },
        });

    const known = { uid: "job-uid", leads: [{ uid: "service-uid" }, { nonce: "n1" }] };
    const situations: [string, Partial<KnownJob>, () => void, string][] = [
        ["its Job", known, () => putJob("job-uid"), "here"],
        ["a Job of that name, of which no UID is known", {}, () => putJob("any"), "here"],
        ["no Job, of which no UID is known", {}, () => undefined, "gone"],
        [
            "a Job of that name and its Service, of which no UID is known",
            { leads: known.leads },
            () => {
                putJob("any");
                putService("new", "n1");
            },
            "here",
        ],
        [
            "a Job of that name and another Service, of which no UID is known",
            { leads: known.leads },
            () => {
                putJob("any", "service-uid", "n1");
                putService("another");
            },
            "elsewhere",
        ],
        ["its Service", known, () => putService("service-uid"), "gone"],
        ["its Service, created again", known, () => putService("new", "n1"), "gone"],
        ["nothing", known, () => undefined, "elsewhere"],
        ["another Service of that name", known, () => putService("another", "n2"), "elsewhere"],
        ["a Service without marks", { ...known, leads: [{}] }, () => putService("another"), "elsewhere"],
        [
            "a copy of the Job and another Service, as after the restore of a backup",
            known,
            () => {
                putJob("another", "service-uid", "n1");
                putService("another");
            },
            "elsewhere",
        ],
        ["nothing, and no mark is known", { uid: "job-uid" }, () => putService("service-uid"), "unknown"],
        ["another Job, and no mark is known", { uid: "job-uid" }, () => putJob("another"), "unknown"],
    ];
    for (const [what, of, put, expected] of situations) {
        it(`says "${expected}" if the cluster has ${what}`, async () => {
            put();
            assert.equal(await where(of), expected);
        });
    }

    it("tells two clusters apart whose Services have the same nonce, if the mark of the first one is known", async () => {
        const kube = connect({ kubeconfig: api.kubeconfig });
        const putAuthority = (text: string) =>
            api.put("configmaps", { metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": text } });
        putService("new", "n1");
        assert.equal(await clusterMark(kube, "hpc"), undefined);
        assert.equal(await where({ ...known, mark: "kube-system/first" }), "gone");
        putAuthority("first");
        const first = (await clusterMark(kube, "hpc")) ?? "";
        assert.match(first, /^ca\/[0-9a-f]{64}$/);
        putAuthority("second");
        const second = await clusterMark(kube, "hpc");
        api.put("namespaces", { metadata: { name: "kube-system", uid: "second" } });
        assert.equal(await clusterMark(kube, "hpc"), "kube-system/second");
        for (const [mark, expected] of [
            [undefined, "gone"],
            ["kube-system/second", "gone"],
            [second, "gone"],
            ["kube-system/first", "elsewhere"],
            [first, "elsewhere"],
        ] as const) {
            assert.equal(await where({ ...known, mark }), expected, mark);
        }
        putJob("job-uid");
        assert.equal(await where({ ...known, mark: "kube-system/first" }), "here");
    });

    it("knows a cluster whose authority has been renewed by the UID of the Service", async () => {
        api.put("configmaps", { metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "renewed" } });
        putService("service-uid", "n1");
        assert.equal(await where({ ...known, mark: "ca/before" }), "gone");
    });

    it("doesn't know a cluster by its authority, which another one may share", async () => {
        api.put("configmaps", { metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "authority" } });
        const mark = await clusterMark(connect({ kubeconfig: api.kubeconfig }), "hpc");
        assert.match(mark ?? "", /^ca\//);
        assert.equal(await where({ ...known, mark }), "elsewhere");
    });

    it("fails if the mark can't be read now", async () => {
        api.put("namespaces", { metadata: { name: "kube-system", uid: "first" } });
        putService("new", "n1");
        api.fail(/kube-system/, 503, { times: 2 });
        const kube = connect({ kubeconfig: api.kubeconfig }, { seconds: 1, tries: 1 });
        await assert.rejects(locate(kube, { ...NAME, ...known, mark: "kube-system/first" }), /503/);
        assert.equal(await clusterMark(kube, "hpc"), undefined);
    });

    it("knows a cluster by its mark, also after its namespace has been deleted and created again", async () => {
        api.put("namespaces", { metadata: { name: "kube-system", uid: "first" } });
        const mark = await clusterMark(connect({ kubeconfig: api.kubeconfig }), "hpc");
        api.put("namespaces", { metadata: { name: "hpc", uid: "created again" } });
        assert.equal(await where({ ...known, mark }), "gone");
        assert.equal(await where({ mark }), "gone");
        putJob("another");
        assert.equal(await where({ ...known, mark }), "gone");
        assert.equal(await where({ leads: known.leads, mark }), "here");
        api.remove("namespaces", "kube-system");
        assert.equal(await where({ mark: "kube-system/unreadable" }), "unknown");
    });

    it("fails if a proxy or another API answers 404, which tells nothing of the Job", async () => {
        putService("service-uid");
        for (const match of [/jobs/, /services/]) {
            for (const fault of [{}, { reason: "NotFound" }, { name: "lammps" }]) {
                api.fail(match, 404, fault);
                await assert.rejects(where(known), /^Error: an HTTP status 404 came without Kubernetes' Status/);
            }
        }
        assert.equal(await where(known), "gone");
    });

    it("says before the creation and the TTL have passed that a Job hasn't expired", () => {
        const at = new Date("2026-01-01T00:01:00Z");
        const createdAt = "2026-01-01T00:00:00.000Z";
        assert.deepEqual(
            [
                mayHaveExpired(undefined, createdAt, at),
                mayHaveExpired(61, createdAt, at),
                mayHaveExpired(60, createdAt, at),
                mayHaveExpired(0, createdAt, at),
                mayHaveExpired(61, undefined, at),
                mayHaveExpired(true, createdAt, at),
            ],
            [false, false, true, true, true, true],
        );
    });

    it("is the only way to look at a Job", () => {
        const readers = globSync("{cli,components,convert,plugin,provider}/**/*.ts").filter((file) =>
            /getJob\(|NamespacedJob\(/.test(readFileSync(file, "utf8")),
        );
        assert.deepEqual(readers.sort(), [
            "provider/kubernetes/client.ts",
            "provider/kubernetes/watch.ts",
            "provider/observe/job.ts",
        ]);
    });
});
