import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { type Fault, putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs, makeLive } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { makeNode } from "../../support/nodes";

const POD = /^POST .*\/pods\?dryRun=All/;
const CLAIMS = /^GET .*\/persistentvolumeclaims\?/;
const DATA = { volumes: [{ name: "data", mountPath: "/data", persistentVolumeClaim: "data" }] };
const FORBIDDEN = 'pods "lammps-0-" is forbidden: ';
const SECURITY = `${FORBIDDEN}violates PodSecurity "restricted:latest": runAsNonRoot != true`;
const NO_ACCOUNT = `${FORBIDDEN}error looking up service account hpc/lammps-elastic: serviceaccount "lammps-elastic" not found`;
const CREATE = "Create it; in the program, with dependsOn.";

describe("check of an IndexedJob whose pods can't start", () => {
    const api = useApi((started) => {
        putLeadService(started);
        started.put("nodes", makeNode("a", 32) as never);
    });
    let lines: string[];
    const { log } = console;

    beforeEach(() => {
        newOperation();
        lines = [];
        console.log = (line: string) => lines.push(line);
    });
    afterEach(() => {
        console.log = log;
        newOperation();
    });

    const inputsOf = (args: Partial<PlainArgs> = {}, more: Partial<IndexedJobInputs> = {}) =>
        makeInputs(args, { kubeconfig: api.kubeconfig, fit: "warn", ...more });
    const check = async (news: IndexedJobInputs, olds: Partial<IndexedJobInputs> = {}) => {
        const { failures = [] } = await indexedJob.check(olds, news);
        assert.deepEqual(failures, []);
        return lines;
    };
    const count = (what: RegExp) => api.requests.filter((request) => what.test(request)).length;
    const refuse = (code: Fault["code"], message: string, more: Partial<Fault> = {}) =>
        api.fail(/pods\?dryRun/, code, { message, ...more });
    const loseNamespace = () =>
        refuse(404, 'namespaces "hpc" not found', { reason: "NotFound", name: "hpc", times: 9 });

    it("tries the pod of rank 0 as the Job controller would create it, and says nothing if it is admitted", async () => {
        assert.deepEqual(await check(inputsOf({ podLabels: { team: "a" } })), []);
        const [{ kind, metadata, spec }] = api.tried as any[];
        assert.deepEqual([kind, metadata.generateName, metadata.labels.team], ["Pod", "lammps-0-", "a"]);
        assert.equal(metadata.labels["batch.kubernetes.io/job-completion-index"], "0");
        assert.equal(spec.containers[0].name, "flux");
        const [{ controller, kind: owner, name }] = metadata.ownerReferences;
        assert.deepEqual([owner, name, controller], ["Job", "lammps", true]);
        assert.deepEqual([count(POD), count(CLAIMS)], [1, 0]);
    });

    it("names the rule and the cure if Pod Security refuses the pods, also where fit refuses", async () => {
        refuse(403, SECURITY, { times: 2 });
        const sentence =
            `lammps: The API server refuses such pods: ${SECURITY}; cure: the fields that the message names; ` +
            "docs/security.md for restricted.";
        assert.deepEqual(await check(inputsOf()), [sentence]);
        assert.deepEqual(await check(inputsOf({}, { fit: "refuse" })), [sentence, sentence]);
    });

    it("quotes a webhook that refuses the pods", async () => {
        const text = 'admission webhook "images.example" denied the request: only signed images';
        refuse(403, text);
        assert.deepEqual(await check(inputsOf()), [`lammps: The API server refuses such pods: ${text}.`]);
    });

    it("says that a class isn't there unless the update makes it", async () => {
        const text = `${FORBIDDEN}no PriorityClass with name urgent was found`;
        refuse(403, text);
        assert.deepEqual(await check(inputsOf()), [
            `lammps: The API server refuses such pods: ${text}. Unless this update makes it, no pod starts.`,
        ]);
    });

    it("looks behind a service account that the update makes", async () => {
        refuse(403, NO_ACCOUNT);
        assert.deepEqual(await check(inputsOf({ elastic: {}, resources: { requests: { cpu: "1" } } })), []);
        assert.deepEqual([count(POD), api.tried[0].spec.serviceAccountName], [2, undefined]);
    });

    it("doesn't take for its own what the API server says of another service account", async () => {
        const scc = `${FORBIDDEN}unable to validate against any security context constraint`;
        for (const [text, lines] of [
            [scc, 0],
            [SECURITY, 1],
        ] as const) {
            newOperation();
            refuse(403, NO_ACCOUNT);
            refuse(403, text);
            const args = { elastic: {}, resources: { requests: { cpu: "1" } } };
            assert.equal((await check(inputsOf(args))).length, lines, text);
        }
    });

    for (const [what, code, text] of [
        ["the user may not create pods", 403, `${FORBIDDEN}User "me" cannot create resource "pods" in API group ""`],
        ["a webhook answers no dry run", 400, 'admission webhook "a.example" does not support dry run'],
        ["a webhook doesn't answer", 500, 'Internal error occurred: failed calling webhook "a.example": timeout'],
        ["the API server doesn't answer", "cut", ""],
        ["a proxy answers", 404, "page not found"],
        ["a quota is full, which fit judges", 403, `${FORBIDDEN}exceeded quota: team, requested: cpu=2, used: cpu=4`],
        ["a LimitRange is too small, which fit judges", 403, `${FORBIDDEN}maximum cpu usage per Container is 1`],
    ] as const) {
        it(`says nothing if ${what}`, async () => {
            refuse(code, text, { times: 9 });
            assert.deepEqual(await check(inputsOf()), []);
            assert.equal(count(POD), 1);
        });
    }

    it("says that the namespace isn't there, and nothing of its claims", async () => {
        loseNamespace();
        assert.deepEqual(await check(inputsOf(DATA)), [
            `lammps: Namespace hpc is not there yet. Unless this update makes it, the update fails. ${CREATE}`,
        ]);
    });

    it("says nothing of a namespace that the program makes", async () => {
        loseNamespace();
        assert.deepEqual(await check(inputsOf(DATA, { awaited: ["Namespace"] })), []);
    });

    it("says which claim isn't there, of one list", async () => {
        api.put("persistentvolumeclaims", { metadata: { name: "data" } });
        const scratch = { name: "scratch", mountPath: "/scratch", persistentVolumeClaim: "scratch" };
        assert.deepEqual(await check(inputsOf({ volumes: [...DATA.volumes, scratch] })), [
            `lammps: PersistentVolumeClaim hpc/scratch is not there yet. Unless this update makes it, no pod gets a node. ${CREATE}`,
        ]);
        assert.deepEqual([count(CLAIMS), count(POD)], [1, 1]);
    });

    it("finds a claim of podTemplate", async () => {
        const volumes = [{ name: "more", persistentVolumeClaim: { claimName: "more" } }];
        assert.match((await check(inputsOf({ podTemplate: { spec: { volumes } } }))).join(), /Claim hpc\/more is not/);
    });

    it("says nothing of claims that the program makes, or that may not be listed", async () => {
        assert.deepEqual(await check(inputsOf(DATA, { awaited: ["PersistentVolumeClaim"] })), []);
        newOperation();
        api.fail(/persistentvolumeclaims/, 403, { message: "no" });
        assert.deepEqual(await check(inputsOf(DATA)), []);
        assert.equal(count(CLAIMS), 2);
    });

    it("asks nothing without a change, nor with fit off", async () => {
        api.put("jobs", makeLive(inputsOf(DATA), { active: 4 }) as never);
        await check(inputsOf(DATA), inputsOf(DATA));
        await check(inputsOf(DATA, { awaited: ["Namespace"] }), inputsOf(DATA));
        await check(inputsOf({ ...DATA, name: "other" }, { fit: "off" }));
        assert.deepEqual([count(POD), count(CLAIMS), lines], [0, 0, []]);
    });

    it("keeps a Job whose program begins to make its namespace", async () => {
        const olds = { ...inputsOf(), schemaVersion: 1, finished: false };
        const diff = await indexedJob.diff("hpc/lammps/job-uid", olds, inputsOf({}, { awaited: ["Namespace"] }));
        assert.equal(diff.changes, false);
    });
});
