import { KubeConfig } from "@kubernetes/client-node";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { loadKubeConfig } from "../../../../provider/kube/access";
import { connect } from "../../../../provider/kube/client";

const kubeconfig = (server: string) =>
    JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "a", cluster: { server } }],
        users: [{ name: "me", user: {} }],
        contexts: [
            { name: "one", context: { cluster: "a", user: "me" } },
            { name: "two", context: { cluster: "a", user: "me" } },
        ],
        "current-context": "one",
    });

function restore(before: string | undefined): void {
    process.env.KUBECONFIG = before;
    if (before === undefined) {
        delete process.env.KUBECONFIG;
    }
}

describe("loadKubeConfig", () => {
    let folder: string;
    let before: string | undefined;
    const { HOME } = process.env;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
        before = process.env.KUBECONFIG;
        writeFileSync(join(folder, "config"), kubeconfig("https://from-file"));
    });

    afterEach(() => {
        restore(before);
        process.env.HOME = HOME;
        rmSync(folder, { recursive: true });
    });

    const load = (access: Parameters<typeof loadKubeConfig>[0]) => loadKubeConfig(access, new KubeConfig());

    it("takes a text", () => {
        assert.equal(load({ kubeconfig: kubeconfig("https://from-text") }).getCurrentCluster()?.server, "https://from-text");
    });

    it("takes a path", () => {
        assert.equal(load({ kubeconfig: join(folder, "config") }).getCurrentCluster()?.server, "https://from-file");
    });

    for (const given of [undefined, ""]) {
        it(`does as kubectl does where it is ${JSON.stringify(given)}`, () => {
            process.env.KUBECONFIG = join(folder, "config");
            assert.equal(load({ kubeconfig: given }).getCurrentCluster()?.server, "https://from-file");
        });
    }

    const unreadable: [string, string, RegExp][] = [
        ["there is none", "", /^The kubeconfig can't be read: there is none\. Set KUBECONFIG, or give MiniCluster the argument kubeconfig$/],
        ["it is none", "{{{", /^The kubeconfig can't be read: ./],
    ];
    for (const [what, text, message] of unreadable) {
        it(`says that ${what}`, () => {
            delete process.env.KUBECONFIG;
            process.env.HOME = folder;
            assert.throws(() => load({ kubeconfig: text }), { message });
        });
    }

    it("takes the context that was asked for, else the current one", () => {
        const text = kubeconfig("https://x");
        assert.equal(load({ kubeconfig: text }).getCurrentContext(), "one");
        assert.equal(load({ kubeconfig: text, context: "two" }).getCurrentContext(), "two");
    });

    it("says which contexts there are", () => {
        assert.throws(() => load({ kubeconfig: kubeconfig("https://x"), context: "three" }), {
            message: 'context "three" is not in the kubeconfig; it has one, two.',
        });
    });
});

describe("connect", () => {
    it("keeps one client for the same text", () => {
        const access = { kubeconfig: kubeconfig("https://x") };
        assert.equal(connect(access), connect({ ...access }));
        assert.notEqual(connect(access), connect({ ...access, context: "two" }));
    });

    it("looks anew for a cluster that isn't named", () => {
        const { KUBECONFIG } = process.env;
        const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
        process.env.KUBECONFIG = join(folder, "config");
        try {
            for (const server of ["https://today", "https://tomorrow"]) {
                writeFileSync(process.env.KUBECONFIG, kubeconfig(server));
                assert.equal(connect({}).server, server);
            }
        } finally {
            restore(KUBECONFIG);
            rmSync(folder, { recursive: true });
        }
    });
});
