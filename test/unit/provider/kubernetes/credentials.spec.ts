import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { mock } from "node:test";
import { text } from "node:stream/consumers";

import { BRIEFLY, connect, type Kube } from "../../../../provider/kubernetes/client";
import { endPluginsBy, runPlugin } from "../../../../provider/kubernetes/kubeconfig/execPlugin";
import { readLog } from "../../../../provider/kubernetes/streams/podLog";
import { watchList } from "../../../../provider/kubernetes/watch";
import { useApi } from "../../support/fakeApi";

describe("credentials", () => {
    const api = useApi();
    let folder: string;
    const { KUBECONFIG } = process.env;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "credentials-"));
    });

    afterEach(() => {
        mock.timers.reset();
        process.env.KUBECONFIG = KUBECONFIG;
        if (KUBECONFIG === undefined) {
            delete process.env.KUBECONFIG;
        }
        rmSync(folder, { recursive: true });
    });

    /** The text of a kubeconfig with this user. */
    function kubeconfig(user: object): string {
        return JSON.stringify({ ...JSON.parse(api.kubeconfig), users: [{ name: "me", user }] });
    }

    /** Writes a kubeconfig with this user; returns its path. */
    function configure(user: object, name = "config"): string {
        writeFileSync(join(folder, name), kubeconfig(user));
        return join(folder, name);
    }

    const list = (access: object, patience?: typeof BRIEFLY) =>
        connect(access, patience).core.listNamespacedPod({ namespace: "hpc" });
    const tokens = () => api.authorizations.map((header) => header?.replace("Bearer ", ""));

    describe("of a token's file", () => {
        const write = (token: string, name = "token") => writeFileSync(join(folder, name), token);

        it("are read without the space around them, beside the kubeconfig that names the file", async () => {
            write("  one\n");
            await list({ kubeconfig: configure({ tokenFile: "token" }) });
            await list({ kubeconfig: kubeconfig({ tokenFile: join(folder, "token") }) });
            process.env.KUBECONFIG = configure({ tokenFile: "./token" });
            await list({});
            assert.deepEqual(tokens(), ["one", "one", "one"]);
        });

        it("are found beside each of several files in KUBECONFIG", async () => {
            mkdirSync(join(folder, "b"));
            write("two", "b/token");
            writeFileSync(join(folder, "a"), JSON.stringify({ users: [], clusters: [], contexts: [] }));
            process.env.KUBECONFIG = [join(folder, "a"), configure({ tokenFile: "token" }, "b/config")].join(delimiter);
            await list({});
            assert.deepEqual(tokens(), ["two"]);
        });

        it("replace the kubeconfig's token, which is used until the file can be read", async () => {
            const path = configure({ tokenFile: "token", token: "given" });
            await list({ kubeconfig: path });
            write("one");
            mock.timers.enable({ apis: ["Date"], now: Date.now() + 50_000 });
            await list({ kubeconfig: path });
            assert.deepEqual(tokens(), ["given", "one"]);
        });

        it("are read again after 50 s, and kept if the file is missing then", async () => {
            mock.timers.enable({ apis: ["Date"] });
            write("one");
            const path = configure({ tokenFile: "token" });
            await list({ kubeconfig: path });
            write("two");
            mock.timers.tick(49_999);
            await list({ kubeconfig: path });
            mock.timers.tick(1);
            await list({ kubeconfig: path });
            rmSync(join(folder, "token"));
            mock.timers.tick(50_000);
            await list({ kubeconfig: path });
            assert.deepEqual(tokens(), ["one", "one", "two", "two"]);
        });

        it("are read again at once if the API server refuses them", async () => {
            write("old");
            const path = configure({ tokenFile: "token" });
            await list({ kubeconfig: path });
            api.accepts = (header) => header === "Bearer new";
            write("new");
            await list({ kubeconfig: path });
            assert.deepEqual(tokens(), ["old", "old", "new"]);
        });

        it("are an error if the file can't be read, or is empty", async () => {
            const path = configure({ tokenFile: "token" });
            const file = join(folder, "token");
            await assert.rejects(list({ kubeconfig: path }), {
                message: `the token's file ${file} can't be read: ENOENT`,
            });
            write("\n");
            await assert.rejects(list({ kubeconfig: path }), { message: `the token's file ${file} is empty` });
        });
    });

    describe("of a token in a kubeconfig", () => {
        it("are read again from its file if the API server refuses them, for a client that is in use", async () => {
            for (const given of [true, false]) {
                api.accepts = () => true;
                api.authorizations.length = 0;
                const path = configure({ token: "old" });
                process.env.KUBECONFIG = path;
                const kube = connect(given ? { kubeconfig: path } : {});
                const pods = () => kube.core.listNamespacedPod({ namespace: "hpc" });
                await pods();
                configure({ token: "new\n" });
                await pods();
                api.accepts = (header) => header === "Bearer new";
                await pods();
                await pods();
                assert.deepEqual(tokens(), ["old", "old", "old", "new", "new"]);
            }
        });

        it("are read again for all calls that are refused at the same time", async () => {
            const kube = connect({ kubeconfig: configure({ token: "old" }) });
            configure({ token: "new" });
            api.accepts = (header) => header === "Bearer new";
            await Promise.all(Array.from({ length: 5 }, () => kube.core.listNamespacedPod({ namespace: "hpc" })));
            const sent = tokens();
            assert.equal(sent.filter((token) => token === "new").length, 5);
            assert.equal(sent.length, 10);
        });

        it("are not sent to a server that isn't that of the file any more", async () => {
            const path = configure({ token: "old" });
            const kube = connect({ kubeconfig: path });
            const other = kubeconfig({ token: "new" }).replace(/http:[^"]*/, "http://elsewhere");
            writeFileSync(path, other);
            api.accepts = () => false;
            await assert.rejects(kube.core.listNamespacedPod({ namespace: "hpc" }), { code: 401 });
            assert.deepEqual([...new Set(tokens())], ["old"]);
        });

        it("stay if the file can't be read, and are refused at once in a text", async () => {
            const path = configure({ token: "old" });
            const kube = connect({ kubeconfig: path });
            writeFileSync(path, "{");
            api.accepts = () => false;
            await assert.rejects(kube.core.listNamespacedPod({ namespace: "hpc" }), { code: 401 });
            await assert.rejects(list({ kubeconfig: kubeconfig({ token: "text" }) }), { code: 401 });
            assert.deepEqual(tokens(), ["old", "text"]);
        });
    });

    describe("of a plugin", () => {
        /** Writes a plugin that counts its runs and gives the token `tN` at the Nth one; returns its user. */
        function plugin({ expires = "", name = "plugin" } = {}) {
            const command = join(folder, name);
            const runs = join(folder, `${name}.runs`);
            const status = `{"token":"t'$(wc -l <'${runs}' | tr -d ' ')'"${expires}}`;
            const script = `#!/bin/sh\nprintf '%s\\n' "$KUBERNETES_EXEC_INFO" >>'${runs}'\necho '{"status":${status}}'\n`;
            writeFileSync(command, script);
            chmodSync(command, 0o755);
            return { apiVersion: "client.authentication.k8s.io/v1", command, args: null, interactiveMode: "Never" };
        }

        const runs = (name = "plugin") => {
            const file = join(folder, `${name}.runs`);
            return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
        };

        it("are shared by all clients of a process, also at the same time", async () => {
            const exec = plugin();
            process.env.KUBECONFIG = configure({ exec });
            await Promise.all([list({}), list({}), list({}, BRIEFLY), list({ kubeconfig: kubeconfig({ exec }) })]);
            await list({ context: "fake" });
            assert.deepEqual(tokens(), ["t1", "t1", "t1", "t1", "t1"]);
            assert.equal(runs().length, 1);
            const info = { apiVersion: exec.apiVersion, kind: "ExecCredential", spec: { interactive: false } };
            assert.deepEqual(JSON.parse(runs()[0]), info);
        });

        it("are renewed after their end", async () => {
            mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-01T00:00:00Z") });
            const path = configure({ exec: plugin({ expires: ',"expirationTimestamp":"2026-01-01T01:00:00Z"' }) });
            await list({ kubeconfig: path });
            mock.timers.tick(3_599_999);
            await list({ kubeconfig: path });
            mock.timers.tick(1);
            await Promise.all([list({ kubeconfig: path }), list({ kubeconfig: path })]);
            assert.deepEqual(tokens(), ["t1", "t1", "t2", "t2"]);
        });

        const ways: Record<string, (path: string) => Promise<unknown>> = {
            "a call": (path) => list({ kubeconfig: path }),
            "a log": (path) => {
                api.logs.set("lammps-0-x", "printed");
                const container = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };
                return text(readLog(connect({ kubeconfig: path }), container, {}, { seconds: 9 }));
            },
            "a watch": async (path) => {
                const stop = new AbortController();
                const handler = { listed: () => {}, gone: () => {}, present: () => {} };
                const request = { kind: "pods" as const, namespace: "hpc" };
                const watched = watchList(connect({ kubeconfig: path }), request, handler, stop.signal);
                await Promise.race([watched, api.seen(/watch=true/, 2)]);
                stop.abort();
                await watched;
            },
        };
        for (const [what, go] of Object.entries(ways)) {
            it(`are renewed if the API server refuses them for ${what}`, async () => {
                const path = configure({ exec: plugin() });
                await list({ kubeconfig: path });
                const answers = what === "a watch" ? ["Bearer t1", "Bearer t2"] : ["Bearer t2"];
                // A watch lists first; only its own request is refused.
                api.accepts = (header) => answers.includes(header ?? "") && !(isWatch() && header === "Bearer t1");
                const isWatch = () => api.requests.at(-1)?.includes("watch=true");
                await go(path);
                assert.equal(api.authorizations.at(-1), "Bearer t2");
                assert.equal(runs().length, 2);
            });
        }

        it("are refused for good if a renewed one is refused too", async () => {
            const path = configure({ exec: plugin() });
            api.accepts = () => false;
            await assert.rejects(list({ kubeconfig: path }), { code: 401 });
            assert.deepEqual(tokens(), ["t1", "t2"]);
        });

        it("are renewed once for calls that are refused at the same time", async () => {
            const path = configure({ exec: plugin() });
            await list({ kubeconfig: path });
            api.accepts = (header) => header !== "Bearer t1";
            await Promise.all(Array.from({ length: 5 }, () => list({ kubeconfig: path })));
            assert.equal(runs().length, 2);
        });

        it("come from a program beside the kubeconfig, if its name has a slash", async () => {
            const exec = { ...plugin(), command: "./plugin" };
            await list({ kubeconfig: configure({ exec }) });
            assert.deepEqual(tokens(), ["t1"]);
        });

        it("tell it the cluster if it asks for that", async () => {
            await list({ kubeconfig: configure({ exec: { ...plugin(), provideClusterInfo: true } }) });
            const { cluster } = JSON.parse(runs()[0]).spec;
            const [{ cluster: configured }] = JSON.parse(api.kubeconfig).clusters;
            assert.deepEqual(cluster, { server: configured.server, "insecure-skip-tls-verify": true });
        });

        it("tell it what the kubeconfig has for it in the cluster's extensions, and that compression is off", async () => {
            const config = JSON.parse(kubeconfig({ exec: { ...plugin(), provideClusterInfo: true } }));
            const extension = { audience: "06e3" };
            const extensions = [
                { name: "other", extension: {} },
                { name: "client.authentication.k8s.io/exec", extension },
            ];
            Object.assign(config.clusters[0].cluster, { extensions, "disable-compression": true });
            await list({ kubeconfig: JSON.stringify(config) });
            const { cluster } = JSON.parse(runs()[0]).spec;
            assert.deepEqual([cluster.config, cluster["disable-compression"]], [extension, true]);
        });

        it("are not needed with a token", async () => {
            await list({ kubeconfig: configure({ token: "given", exec: plugin() }) });
            assert.deepEqual([tokens(), runs()], [["given"], []]);
        });

        const failures: [string, string, string][] = [
            ["fails", "echo no session >&2; exit 3", "failed: no session"],
            ["fails silently", "exit 3", "failed: exit code 3"],
            ["prints no JSON", "echo secret", "printed no credential"],
            [
                "prints nothing useful",
                `echo '{"status":{}}'; echo log in first >&2`,
                "printed no credential: log in first",
            ],
            [
                "prints a certificate without its key",
                `echo '{"status":{"token":"t","clientCertificateData":"c"}}'`,
                "printed a certificate or a key, but not both",
            ],
            [
                "prints a token of two lines",
                String.raw`echo '{"status":{"token":"hush\\nhush"}}'`,
                "printed a token with a line break or another character that no header can have",
            ],
            ["prints colours", String.raw`printf '\033[31mno\033[0m session\r\n' >&2; exit 1`, "failed: no session"],
        ];
        for (const [what, script, message] of failures) {
            it(`are an error if the plugin ${what}; the next call runs it again`, async () => {
                const exec = plugin({ name: "broken" });
                const good = readFileSync(exec.command, "utf8");
                writeFileSync(exec.command, `#!/bin/sh\n${script}\n`);
                const path = configure({ exec });
                const named = `the command ${exec.command}, which the kubeconfig names for its credentials,`;
                await assert.rejects(list({ kubeconfig: path }), { message: `${named} ${message}` });
                writeFileSync(exec.command, good);
                await list({ kubeconfig: path });
                assert.deepEqual(tokens(), ["t1"]);
            });
        }

        describe("that doesn't end", () => {
            /** Writes a plugin that hangs in a process of its own, which ignores SIGTERM if asked to; returns its user. */
            function hanging(ignores = false) {
                const command = join(folder, "hanging");
                const trap = ignores ? "trap '' TERM; " : "";
                const child = `sh -c '${trap}echo $$ >"${join(folder, "new")}"; mv "${join(folder, "new")}" "${join(folder, "pid")}"; while :; do sleep 1000; done'`;
                writeFileSync(command, `#!/bin/sh\n${trap}${child}\nexit 1\n`);
                chmodSync(command, 0o755);
                return { command };
            }

            // A test may have mocked the timers.
            async function until(condition: () => boolean): Promise<void> {
                while (!condition()) {
                    await new Promise((resolve) => setImmediate(resolve));
                }
            }

            async function started(): Promise<number> {
                await until(() => existsSync(join(folder, "pid")));
                return Number(readFileSync(join(folder, "pid"), "utf8"));
            }

            const ended = (pid: number) => until(() => !isAlive(pid));
            const named = (command: string) =>
                `the command ${command}, which the kubeconfig names for its credentials,`;

            let listeners: number;

            beforeEach(() => {
                listeners = process.listenerCount("exit");
            });

            afterEach(async () => {
                endPluginsBy(() => new AbortController().signal);
                // At the end of a plugin its timer is cleared. Later, that would clear the next test's: mocked timers are known by number.
                await until(() => process.listenerCount("exit") === listeners);
            });

            for (const ignores of [false, true]) {
                it(`is ended after 60 s with what it has started${ignores ? ", although it ignores SIGTERM" : ""}`, async () => {
                    mock.timers.enable({ apis: ["setTimeout"] });
                    const exec = hanging(ignores);
                    const failed = assert.rejects(runPlugin(exec, undefined), {
                        message: `${named(exec.command)} failed: it has not ended within 60 s`,
                    });
                    const pid = await started();
                    mock.timers.tick(59_999);
                    assert.ok(isAlive(pid));
                    mock.timers.tick(1);
                    await failed;
                    mock.timers.tick(ignores ? 2000 : 0);
                    await ended(pid);
                });
            }

            it("is quoted, because it may have asked for a login", async () => {
                mock.timers.enable({ apis: ["setTimeout"] });
                const exec = hanging();
                const script = readFileSync(exec.command, "utf8");
                writeFileSync(
                    exec.command,
                    script.replace("\n", '\necho "Open https://login.example, code AB12" >&2\n'),
                );
                const failed = assert.rejects(runPlugin(exec, undefined), {
                    message: `${named(exec.command)} failed: it has not ended within 60 s. It printed: Open https://login.example, code AB12`,
                });
                const pid = await started();
                // The plugin printed before it started its process, but its pipe is read later.
                await new Promise((resolve) => setImmediate(resolve));
                mock.timers.tick(60_000);
                await failed;
                await ended(pid);
            });

            it("is ended when the update is cancelled", async () => {
                const cancelled = new AbortController();
                endPluginsBy(() => cancelled.signal);
                const exec = hanging();
                const failed = assert.rejects(runPlugin(exec, undefined), {
                    message: `${named(exec.command)} failed: the update was cancelled`,
                });
                const pid = await started();
                cancelled.abort(new Error("the update was cancelled"));
                await failed;
                await ended(pid);
            });

            for (const [what, end] of [
                ["ends", "process.exit(0)"],
                ["gets SIGTERM", "process.kill(process.pid, 'SIGTERM')"],
            ]) {
                it(`is ended when the process that runs it ${what}`, async () => {
                    const module = require.resolve("../../../../provider/kubernetes/kubeconfig/execPlugin");
                    const code =
                        `require(${JSON.stringify(module)}).runPlugin(${JSON.stringify(hanging())}).catch(() => {});` +
                        `process.stdin.once("data", () => ${end});`;
                    const parent = spawn(process.execPath, [...process.execArgv, "-e", code], {
                        stdio: ["pipe", "ignore", "inherit"],
                    });
                    const exit = once(parent, "exit");
                    const pid = await started();
                    parent.stdin.write("end");
                    assert.deepEqual(await exit, what === "ends" ? [0, null] : [null, "SIGTERM"]);
                    await ended(pid);
                });
            }
        });

        it("are an error with the kubeconfig's hint if the plugin isn't installed", async () => {
            const exec = { command: "no-such-plugin", installHint: "Install it." };
            await assert.rejects(list({ kubeconfig: configure({ exec }) }), {
                message:
                    "the command no-such-plugin, which the kubeconfig names for its credentials, failed: ENOENT. Install it.",
            });
        });
    });

    const pem = (text: string, end: string) =>
        `-----BEGIN ${end === "crt" ? "CERTIFICATE" : "PRIVATE KEY"}-----\n${text}\n`;

    it("of a client certificate's files are read again for commands and logs when they change", async () => {
        const write = (content: string) =>
            ["crt", "key"].forEach((end) => writeFileSync(join(folder, `me.${end}`), pem(content + end, end)));
        const agentOf = async (kube: Kube) => {
            const options: { agent?: any } = {};
            await kube.config.applyToHTTPSOptions(options);
            return options.agent;
        };
        write("old ");
        const kube = connect({ kubeconfig: configure({ "client-certificate": "me.crt", "client-key": "me.key" }) });
        const first = await agentOf(kube);
        assert.match(String(first.options.cert), /old crt/);
        assert.equal(await agentOf(kube), first);
        write("new ");
        const { options } = await agentOf(kube);
        assert.match([options.cert, options.key].join(""), /new crt[^]*new key/);
    });
});

function isAlive(pid: number): boolean {
    try {
        process.kill(pid, 0);
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
        return false;
    }
}
