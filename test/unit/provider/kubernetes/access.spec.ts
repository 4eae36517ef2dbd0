import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { inspect } from "node:util";

import { operationOf, within } from "../../../../provider/contract/operation";
import { loadKubeConfig } from "../../../../provider/kubernetes/kubeconfig/access";
import { connect } from "../../../../provider/kubernetes/client";
import { useApi } from "../../support/fakeApi";

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

    const load = (access: Parameters<typeof loadKubeConfig>[0]) => loadKubeConfig(access);

    it("accepts a kubeconfig as text", () => {
        assert.equal(
            load({ kubeconfig: kubeconfig("https://from-text") }).getCurrentCluster()?.server,
            "https://from-text",
        );
    });

    it("accepts the path of a kubeconfig", () => {
        assert.equal(load({ kubeconfig: join(folder, "config") }).getCurrentCluster()?.server, "https://from-file");
    });

    for (const given of [undefined, ""]) {
        it(`uses KUBECONFIG as kubectl does if the argument is ${JSON.stringify(given)}`, () => {
            process.env.KUBECONFIG = join(folder, "config");
            assert.equal(load({ kubeconfig: given }).getCurrentCluster()?.server, "https://from-file");
        });
    }

    const unreadable: [string, string, RegExp][] = [
        [
            "there is no kubeconfig",
            "",
            /^The kubeconfig can't be read: there is none in \S*\/\.kube\/config, and this is no pod with a service account\. Set KUBECONFIG,/,
        ],
        ["the text isn't a kubeconfig", "{{{", /^The kubeconfig can't be read: ./],
    ];
    for (const [what, text, message] of unreadable) {
        it(`reports that ${what}`, () => {
            delete process.env.KUBECONFIG;
            process.env.HOME = folder;
            assert.throws(() => load({ kubeconfig: text }), { message });
        });
    }

    describe("with several files in KUBECONFIG", () => {
        const entry = (server: string) => ({ cluster: { server } });
        const file = (name: string, clusters: Record<string, string>, current?: string) => {
            const path = join(folder, name);
            const names = Object.keys(clusters);
            const text = {
                clusters: names.map((each) => ({ name: each, ...entry(clusters[each]) })),
                users: names.map((each) => ({ name: each, user: { token: `${name}-${each}` } })),
                contexts: names.map((each) => ({ name: each, context: { cluster: each, user: each } })),
                "current-context": current,
            };
            writeFileSync(path, JSON.stringify(text));
            return path;
        };
        const merged = (...paths: string[]) => {
            process.env.KUBECONFIG = paths.join(delimiter);
            return load({});
        };

        it("takes the first current context", () => {
            const [a, b] = [file("a", { one: "https://a" }, "one"), file("b", { two: "https://b" }, "two")];
            assert.equal(merged(a, b).getCurrentCluster()?.server, "https://a");
            assert.equal(merged(b, a).getCurrentCluster()?.server, "https://b");
            assert.equal(merged(file("none", { three: "https://c" }), b, a).getCurrentCluster()?.server, "https://b");
        });

        it("takes the entries of all files, and the first of each name", () => {
            const config = merged(
                file("a", { one: "https://a" }, "one"),
                file("b", { one: "https://b", two: "https://c" }, "two"),
            );
            assert.equal(config.getCurrentCluster()?.server, "https://a");
            assert.equal(config.getCurrentUser()?.token, "a-one");
            assert.deepEqual(
                config.getClusters().map(({ name, server }) => [name, server]),
                [
                    ["one", "https://a"],
                    ["two", "https://c"],
                ],
            );
            assert.equal(config.getContexts().length, 2);
        });

        it("skips missing files and empty names", () => {
            const a = file("a", { one: "https://a" }, "one");
            assert.equal(merged(join(folder, "missing"), "", a, a).getCurrentCluster()?.server, "https://a");
        });

        it("finds certificates beside the file that names them", () => {
            const [a, folderB] = [file("a", { one: "https://a" }, "one"), join(folder, "b")];
            mkdirSync(folderB);
            const cluster = { server: "https://b", "certificate-authority": "ca.crt" };
            const contexts = [{ name: "two", context: { cluster: "two", user: "two" } }];
            writeFileSync(join(folderB, "config"), JSON.stringify({ clusters: [{ name: "two", cluster }], contexts }));
            assert.equal(merged(a, join(folderB, "config")).getCluster("two")?.caFile, join(folderB, "ca.crt"));
        });

        it("names a broken file, so that a preview can pass over it", () => {
            writeFileSync(join(folder, "broken"), "clusters: [");
            assert.throws(
                () => merged(file("a", { one: "https://a" }, "one"), join(folder, "broken")),
                (error: Error) => {
                    assert.ok(error.message.includes(`${join(folder, "broken")} is not a kubeconfig`), error.message);
                    assert.notEqual(error.cause, undefined);
                    return true;
                },
            );
        });
    });

    it("accepts a path in the home folder", () => {
        process.env.HOME = folder;
        assert.equal(load({ kubeconfig: "~/config" }).getCurrentCluster()?.server, "https://from-file");
    });

    it("doesn't quote lines of a broken kubeconfig", () => {
        const text = kubeconfig("https://x").replace('"current-context"', '"token": "hush" "current-context"');
        for (const given of [text, "users:\n- token: hush\n token: hush", "token: &hush [", "*hush"]) {
            assert.throws(
                () => load({ kubeconfig: given }),
                (error: Error) => {
                    assert.match(
                        error.message,
                        /^The kubeconfig can't be read: kubeconfig is not a kubeconfig in YAML or JSON, at line \d+/,
                    );
                    assert.doesNotMatch(inspect(error), /hush/);
                    return true;
                },
            );
        }
    });

    it("doesn't quote a value that is neither a path nor a kubeconfig", () => {
        assert.throws(
            () => load({ kubeconfig: "hush" }),
            (error: Error) => {
                assert.match(
                    error.message,
                    /^The argument kubeconfig names no clusters: it is neither the path of a file/,
                );
                assert.doesNotMatch(inspect(error), /hush/);
                return true;
            },
        );
    });

    for (const path of [
        "./not-yet.yaml",
        "~/.kube/not-yet",
        "../not/yet",
        "not-yet.json",
        "C:\\not\\yet",
        "kubeconfig",
    ]) {
        it(`takes ${path} for the path of a file that may be written later`, () => {
            assert.throws(
                () => load({ kubeconfig: path }),
                (error: Error) => error.cause !== undefined && /is a path, and there is no file/.test(error.message),
            );
        });
    }

    it("shows the whole path of a file that doesn't exist", () =>
        assert.throws(() => load({ kubeconfig: "./not-yet.yaml" }), {
            message: new RegExp(`there is no file ${process.cwd()}/not-yet\\.yaml\\. `),
        }));

    it("shows no value that may be a token", () =>
        assert.throws(() => load({ kubeconfig: "aHVz/aA==" }), { message: /there is no file of this path\. / }));

    for (const text of [
        "https://server/path",
        "apiVersion: v1/x",
        "{server: a/b}",
        "hush.eyJ0.c2lnbmF0dXJlc2lnbmF0dXJl",
    ]) {
        it(`refuses ${text} in the preview`, () =>
            assert.throws(
                () => load({ kubeconfig: text }),
                (error: Error) => error.cause === undefined && error.message.includes("names no clusters"),
            ));
    }

    it("uses the given context, or the current one", () => {
        const text = kubeconfig("https://x");
        assert.equal(load({ kubeconfig: text }).getCurrentContext(), "one");
        assert.equal(load({ kubeconfig: text, context: "two" }).getCurrentContext(), "two");
    });

    it("lists the contexts if the given one doesn't exist", () => {
        assert.throws(() => load({ kubeconfig: kubeconfig("https://x"), context: "three" }), {
            message: 'context "three" is not in the kubeconfig; it has one, two.',
        });
    });
});

describe("connect", () => {
    it("keeps one client for the same kubeconfig and context", () => {
        const access = { kubeconfig: kubeconfig("https://x") };
        assert.equal(connect(access), connect({ ...access }));
        assert.notEqual(connect(access), connect({ ...access, context: "two" }));
    });

    it("stays with the current context of KUBECONFIG with which it began, and reads all else again", () => {
        const { KUBECONFIG } = process.env;
        const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
        const file = join(folder, "config");
        const write = (server: string, current: string) =>
            writeFileSync(file, kubeconfig(server).replace(/("current-context":\s*)"one"/, `$1"${current}"`));
        process.env.KUBECONFIG = file;
        try {
            write("https://x", "one");
            assert.equal(connect({}).config.getCurrentContext(), "one");
            write("https://y", "two");
            assert.deepEqual([connect({}).config.getCurrentContext(), connect({}).server], ["one", "https://y"]);
            assert.equal(connect({ context: "two" }).config.getCurrentContext(), "two");
        } finally {
            restore(KUBECONFIG);
            rmSync(folder, { recursive: true });
        }
    });

    it("reads KUBECONFIG again each time if no kubeconfig is given", () => {
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

    describe("with an argument that is a path", () => {
        const api = useApi();
        let folder: string;
        let access: { readonly kubeconfig: string };

        beforeEach(() => {
            folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
            access = { kubeconfig: join(folder, "config") };
        });

        afterEach(() => rmSync(folder, { recursive: true }));

        const current = () => connect(access).config.getCurrentContext();
        const choose = (name: string) =>
            writeFileSync(
                access.kubeconfig,
                kubeconfig("https://x").replace(/("current-context":\s*)"one"/, `$1"${name}"`),
            );
        const writeOnly = (name: string) =>
            writeFileSync(access.kubeconfig, api.kubeconfig.replaceAll('"fake"', `"${name}"`));

        it("keeps the contexts of two operations of one process apart, also if they take turns", () => {
            const [first, second] = ["1", "2"].map((engine) => within(operationOf({}, engine), current));
            choose("one");
            assert.equal(first(), "one");
            choose("two");
            assert.deepEqual([second(), first(), second()], ["two", "one", "two"]);
            choose("one");
            assert.deepEqual([first(), second()], ["one", "two"]);
        });

        it("keeps one context for two connections to one engine, as two copies of Pulumi's SDK have them", () => {
            const engine = {};
            choose("one");
            assert.equal(within(operationOf(engine, "3"), current)(), "one");
            choose("two");
            assert.equal(within(operationOf({}, "3"), current)(), "one");
        });

        it("takes the context of another kubeconfig that is written before the first request", () => {
            writeOnly("old");
            assert.equal(current(), "old");
            writeOnly("new");
            assert.equal(current(), "new");
        });

        it("refuses another kubeconfig after the first request", async () => {
            writeOnly("old");
            api.fail(/jobs/, 404);
            await connect(access)
                .getJob("hpc", "lammps")
                .catch(() => undefined);
            writeOnly("new");
            assert.throws(current, /The context "old", with which this command began, is no longer in the kubeconfig/);
        });
    });
});
