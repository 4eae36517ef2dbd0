import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Kube } from "../../../../provider/kubernetes/client";
import { askProgramBy } from "../../../../provider/kubernetes/kubeconfig/clusterAccess";
import { isForgettable, withAccess } from "../../../../provider/kubernetes/kubeconfig/unreachable";
import { freePort } from "../../support/between";
import { useApi } from "../../support/fakeApi";
import { newOperation } from "../../support/newOperation";

describe("withAccess", () => {
    const api = useApi();
    let folder: string;
    const { KUBECONFIG } = process.env;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "access-"));
        process.env.KUBECONFIG = join(folder, "config");
        writeFileSync(process.env.KUBECONFIG, api.kubeconfig);
        api.put("jobs", { metadata: { name: "lammps" } });
    });

    afterEach(() => {
        if (KUBECONFIG === undefined) {
            delete process.env.KUBECONFIG;
        } else {
            process.env.KUBECONFIG = KUBECONFIG;
        }
        rmSync(folder, { recursive: true });
    });

    beforeEach(newOperation);

    const read = (kube: Kube) => kube.getJob("hpc", "lammps");
    const yes = async () => true;
    const refused = { code: 401 };

    it("uses the credentials of the state while they are valid", async () => {
        assert.equal((await withAccess({ kubeconfig: api.kubeconfig }, yes, read)).metadata?.name, "lammps");
        assert.equal(api.requests.length, 1);
    });

    it("uses the current kubeconfig if the state's credentials have expired in the same cluster", async () => {
        api.fail(/jobs/, 401);
        assert.equal((await withAccess({ kubeconfig: api.kubeconfig }, yes, read)).metadata?.name, "lammps");
    });

    it("uses the current kubeconfig if it leads to the same cluster at another address, and no API server is at the state's", async () => {
        const access = { kubeconfig: api.kubeconfig.replace(/:\d+"/, `:${await freePort()}"`) };
        const readBriefly = (kube: Kube) => new Kube(kube.config, { seconds: 5, tries: 1 }).getJob("hpc", "lammps");
        assert.equal((await withAccess(access, yes, readBriefly)).metadata?.name, "lammps");
        const no = async () => false;
        await assert.rejects(withAccess(access, no, readBriefly), { message: "fetch failed" });
    });

    it("recognises a refusal that is the cause of another error", async () => {
        let calls = 0;
        const call = async (): Promise<string> => {
            calls++;
            if (calls === 1) {
                throw new Error("Job can't be read", { cause: refused });
            }
            return "done";
        };
        assert.equal(await withAccess({ kubeconfig: api.kubeconfig }, yes, call), "done");
    });

    describe("in an operation with a program", () => {
        const withToken = (token: string) => api.kubeconfig.replace("token-of-the-test", token);
        const gives = (...accesses: { urn: string; kubeconfig?: string }[]) => askProgramBy(async () => accesses);
        const tokens = () => api.authorizations.map((header) => header?.replace("Bearer ", ""));
        const state = () => ({ kubeconfig: withToken("of-state"), resourceUrn: "urn:job" });
        const isReached = async (kube: Kube) => (await kube.getJob("hpc", "lammps")).metadata?.name === "lammps";

        afterEach(() => gives());

        it("uses what the program gives now, also while the credentials of the state are valid", async () => {
            gives(
                { urn: "urn:other", kubeconfig: withToken("of-other") },
                { urn: "urn:job", kubeconfig: withToken("now") },
            );
            await withAccess(state(), isReached, read);
            assert.deepEqual(tokens(), ["now", "now"]);
        });

        it("asks nothing more if the program gives what the state has", async () => {
            gives({ urn: "urn:other", kubeconfig: withToken("of-other") }, { urn: "urn:job", ...state() });
            await withAccess(state(), isReached, read);
            assert.deepEqual(tokens(), ["of-state"]);
        });

        it("uses what the program gives to another resource if this one had another name", async () => {
            gives({ urn: "urn:renamed", kubeconfig: withToken("now") });
            await withAccess(state(), isReached, read);
            assert.deepEqual(tokens(), ["now", "now"]);
        });

        it("uses the environment if the program gives nothing else now", async () => {
            gives({ urn: "urn:job" });
            await withAccess(state(), isReached, read);
            assert.deepEqual(tokens(), ["token-of-the-test", "token-of-the-test"]);
        });

        it("warns on the resource's row that the program couldn't be asked, only if the access of the state fails", async () => {
            const rows: (string | undefined)[] = [];
            askProgramBy(
                async () => [],
                async (row) => void rows.push(row),
            );
            const fail = (error: Error) =>
                withAccess(
                    state(),
                    async () => false,
                    () => Promise.reject(error),
                );
            await withAccess(state(), isReached, read);
            await assert.rejects(fail(new Error("a Flux job runs")), /a Flux job runs/);
            assert.deepEqual(rows, []);
            await assert.rejects(fail(Object.assign(new Error("x"), { code: "ECONNREFUSED" })), /x/);
            await assert.rejects(fail(Object.assign(new Error("expired"), refused)), /expired/);
            assert.deepEqual(rows, ["urn:job", "urn:job"]);
        });

        it("keeps to the cluster of the state if the program gives another one, or one that can't be asked", async () => {
            for (const isSame of [async () => false, () => Promise.reject(new Error("away"))]) {
                api.authorizations.length = 0;
                gives({ urn: "urn:job", kubeconfig: withToken("elsewhere") });
                await withAccess(state(), isSame, read);
                assert.deepEqual(tokens(), ["of-state"]);
            }
        });
    });

    const kept: [string, { kubeconfig?: string }, () => Promise<boolean>, object][] = [
        ["another cluster", { kubeconfig: "{}" }, async () => false, refused],
        [
            "a cluster that doesn't answer",
            { kubeconfig: "{}" },
            async () => {
                throw new Error("away");
            },
            refused,
        ],
        ["credentials of the current kubeconfig", {}, yes, refused],
        [
            "the same address, which isn't reached",
            { kubeconfig: "{}" },
            yes,
            Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
        ],
        ["an error that isn't a refusal", { kubeconfig: "{}" }, yes, { code: 403 }],
    ];
    for (const [what, access, isSame, failure] of kept) {
        it(`passes the failure on for ${what}`, async () => {
            const given = access.kubeconfig === undefined ? access : { kubeconfig: api.kubeconfig };
            await assert.rejects(
                withAccess(given, isSame, () => Promise.reject(failure)),
                failure,
            );
        });
    }

    it("passes the failure on if the current kubeconfig can't be read", async () => {
        writeFileSync(join(folder, "config"), "{{{");
        const call = () => Promise.reject(new Error("Job can't be read", { cause: refused }));
        await assert.rejects(withAccess({ kubeconfig: api.kubeconfig }, yes, call), { message: "Job can't be read" });
    });
});

describe("isForgettable", () => {
    const away = Object.assign(new Error("x"), { code: "ECONNREFUSED" });

    afterEach(() => delete process.env.PULUMI_K8S_DELETE_UNREACHABLE);

    it("is false unless the user sets PULUMI_K8S_DELETE_UNREACHABLE", () => assert.equal(isForgettable(away), false));

    it("is true only for a cluster that doesn't answer", () => {
        process.env.PULUMI_K8S_DELETE_UNREACHABLE = "true";
        assert.equal(isForgettable(away), true);
        assert.equal(isForgettable({ code: 403 }), false);
        assert.equal(isForgettable(undefined), false);
    });
});
