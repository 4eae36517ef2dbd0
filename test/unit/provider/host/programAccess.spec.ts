import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { operationOf } from "../../../../provider/contract/operation";
import { operate } from "../../support/program";

/* The compiled package, which the other process loads too. */
const PATH = require.resolve("../../../../dist/provider/host/programAccess");
const OPERATION = require.resolve("../../../../dist/provider/contract/operation");
const ENGINE_PATH = require.resolve("../../../../dist/provider/host/engine");
const ENGINE = "127.0.0.1:65001";

describe("programAccesses", () => {
    let folder: string;
    const { TMPDIR } = process.env;

    before(() => {
        // A short path, as sockets need it.
        folder = mkdtempSync(join(tmpdir(), "a-"));
        process.env.TMPDIR = folder;
        give(ENGINE, "urn:job", "the text");
        give(ENGINE, "urn:status", "the text");
        give("127.0.0.1:65002", "urn:job", "of another engine");
    });

    after(() => {
        delete process.env.TMPDIR;
        Object.assign(process.env, TMPDIR === undefined ? {} : { TMPDIR });
        rmSync(folder, { recursive: true });
    });

    const clients: object[] = [];

    function give(engine: string, urn: string, kubeconfig: string): void {
        const { giveAccess } = require(PATH) as typeof import("../../../../provider/host/programAccess");
        const client = {};
        // The engine's client lives as long as the operation.
        clients.push(client);
        giveAccess(operationOf(client, engine), { urn, kubeconfig });
    }

    /** What the process of the verbs gets. */
    async function asked(engine: string, temporary = folder): Promise<readonly object[]> {
        const script = `require(${JSON.stringify(PATH)}).programAccesses().then((all) => console.log(JSON.stringify(all)))`;
        const env = { ...process.env, TMPDIR: temporary };
        return new Promise((resolve, reject) =>
            execFile(process.execPath, ["-e", script, "host", engine], { env }, (error, stdout) =>
                error === null ? resolve(JSON.parse(stdout)) : reject(error),
            ),
        );
    }

    const own = () => join(folder, readdirSync(folder)[0]);

    it("tells another process what the program of the same engine gives, and nothing else", async () => {
        assert.deepEqual(await asked(ENGINE), [
            { urn: "urn:job", kubeconfig: "the text" },
            { urn: "urn:status", kubeconfig: "the text" },
        ]);
        assert.deepEqual(await asked("127.0.0.1:65002"), [{ urn: "urn:job", kubeconfig: "of another engine" }]);
        assert.deepEqual(await asked("127.0.0.1:65003"), []);
    });

    it("tells the same process, as in the plugin, which has the components and the verbs", async () => {
        const { programAccesses } = require(PATH) as typeof import("../../../../provider/host/programAccess");
        const { argv } = process;
        process.argv = [...argv, ENGINE];
        try {
            assert.deepEqual(
                (await programAccesses()).map(({ urn }) => urn),
                ["urn:job", "urn:status"],
            );
        } finally {
            process.argv = argv;
        }
    });

    it("writes no kubeconfig to a file, and lets no other user connect", () => {
        assert.equal(readdirSync(folder, { recursive: true }).length, 2);
    });

    it("passes over programs that were killed, and removes what they have left", async () => {
        const left = join(own(), "left.sock");
        const script = `require("net").createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 9))`;
        await new Promise((resolve) => execFile(process.execPath, ["-e", script], resolve));
        assert.equal((await asked(ENGINE)).length, 2);
        assert.ok(existsSync(left), "a program may be about to listen");
        utimesSync(left, 1, 1);
        assert.equal((await asked(ENGINE)).length, 2);
        assert.ok(!existsSync(left));
    });

    it("removes what killed programs have left when it begins to answer, as each process of the plugin does", async () => {
        const other = mkdtempSync(join(tmpdir(), "c-"));
        const place = join(other, `flux-minicluster-${process.getuid?.()}`);
        mkdirSync(place, { mode: 0o700 });
        const begin = (urn: string) => `
            const { operationOf } = require(${JSON.stringify(OPERATION)});
            const client = {};
            require(${JSON.stringify(PATH)}).giveAccess(operationOf(client, "${ENGINE}"), { urn: "${urn}" });`;
        const run = (script: string) => {
            const child = execFile(process.execPath, ["-e", script], { env: { ...process.env, TMPDIR: other } });
            return once(child, "exit");
        };
        try {
            await run(`${begin("urn:first")} setTimeout(() => process.kill(process.pid, 9), 100)`);
            const [left] = readdirSync(place);
            const aged = `require("fs").utimesSync(${JSON.stringify(join(place, left))}, 1, 1)`;
            const until = `setInterval(() => require("fs").readdirSync(${JSON.stringify(place)}).length === 1 && process.exit(), 10)`;
            await run(`${aged}; ${begin("urn:second")} ${until}; setTimeout(() => process.exit(), 5000)`);
            assert.deepEqual(readdirSync(place), []);
        } finally {
            rmSync(other, { recursive: true });
        }
    });

    describe("if the program can't be asked", () => {
        const { argv } = process;
        let temporary: string;
        let lines: string[];

        /* A copy of the module that has warned of nothing. */
        const fresh = () => {
            delete require.cache[PATH];
            return require(PATH) as typeof import("../../../../provider/host/programAccess");
        };

        beforeEach(async () => {
            lines = [];
            temporary = mkdtempSync(join(tmpdir(), "d-"));
            process.env.TMPDIR = temporary;
            await operate(true);
            useEngine(true);
        });

        afterEach(() => {
            process.argv = argv;
            process.env.TMPDIR = folder;
            rmSync(temporary, { recursive: true });
        });

        function useEngine(isProgram: boolean): void {
            const { useEngine: use } = require(ENGINE_PATH) as typeof import("../../../../provider/host/engine");
            use(() => ({
                log: async ({ message, severity, urn }) => void lines.push([severity, urn, message].join(" ")),
                rootResource: async () => (isProgram ? "urn:stack" : ""),
            }));
        }

        const place = () => join(temporary, `flux-minicluster-${process.getuid?.()}`);
        const said = (cause: string) =>
            `WARNING urn:job kubeconfig: The kubeconfig of the state is used, because the one that the program gives now can't be asked for: ${cause}.`;

        it("says so once, and why, and fails no verb", async () => {
            mkdirSync(place());
            chmodSync(place(), 0o755);
            const { programAccesses, warnOfTrouble } = fresh();
            assert.deepEqual(await programAccesses(), []);
            await warnOfTrouble("urn:job");
            await warnOfTrouble("urn:other");
            const cause = `${place()} is no folder that only this user can open. Remove it, or set TMPDIR to another folder`;
            assert.deepEqual(lines, [said(cause)]);
        });

        it("says so if a program doesn't answer, or not in full", async () => {
            mkdirSync(place(), { mode: 0o700 });
            const server = createServer((socket) => socket.destroy());
            await new Promise<void>((resolve) => server.listen(join(place(), "broken.sock"), resolve));
            try {
                const { programAccesses, warnOfTrouble } = fresh();
                assert.deepEqual(await programAccesses(), []);
                await warnOfTrouble("urn:job");
                assert.equal(lines.length, 1);
                assert.match(
                    lines[0],
                    /can't be asked for: (the connection ended|.*ECONNRESET|.*EPIPE|Unexpected end)/,
                );
            } finally {
                server.close();
            }
        });

        it("says nothing if no program runs, or none gives anything", async () => {
            const { programAccesses, warnOfTrouble } = fresh();
            assert.deepEqual(await programAccesses(), []);
            await warnOfTrouble("urn:job");
            chmodSync(place(), 0o755);
            useEngine(false);
            assert.deepEqual(await programAccesses(), []);
            await warnOfTrouble("urn:job");
            assert.deepEqual(lines, []);
        });
    });

    it("asks nobody in a folder that others can use: a kubeconfig may name a program to run", async () => {
        const other = mkdtempSync(join(tmpdir(), "b-"));
        const open = join(other, `flux-minicluster-${process.getuid?.()}`);
        mkdirSync(open);
        let connections = 0;
        const server = createServer((socket) => {
            connections++;
            socket.end(JSON.stringify([{ urn: "urn:job", kubeconfig: "of a stranger" }]));
        });
        await new Promise<void>((resolve) => server.listen(join(open, "stranger.sock"), resolve));
        try {
            chmodSync(open, 0o700);
            assert.equal((await asked(ENGINE, other)).length, 1);
            chmodSync(open, 0o755);
            assert.deepEqual(await asked(ENGINE, other), []);
            assert.equal(connections, 1);
        } finally {
            server.close();
            rmSync(other, { recursive: true });
        }
    });
});
