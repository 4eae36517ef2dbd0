import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";

import { selfSigned } from "../../../../e2e/support/certificate";
import { scriptFile } from "../../../support/scriptFile";

/** uvicorn: by default the stand-in's. RESTFUL_PACKAGES=/path/to/site-packages tries another one. */
const PACKAGES = process.env["RESTFUL_PACKAGES"] ?? join(__dirname, "../../../../double/image/restful");

const APPLICATION = `
async def app(scope, receive, send):
    pass
`;

describe("the certificate of the RESTful server", () => {
    let folder: string;
    let server: ChildProcess | undefined;
    let port: number;
    let said: string;
    let version: number;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "renewal-"));
        [said, version] = ["", 0];
        mkdirSync(join(folder, "tls"));
        for (const name of ["tls.crt", "tls.key"]) {
            symlinkSync(join("..data", name), join(folder, "tls", name));
        }
    });
    afterEach(async () => {
        const ended = new Promise((resolve) => server?.once("exit", resolve));
        server?.kill("SIGTERM");
        await ended;
        rmSync(folder, { recursive: true });
    });

    /** Replaces the files as the kubelet does: it swaps a link to their folder, and removes the former one. */
    function mount(certificate: string, key: string): void {
        const [former, next] = [`..${version}`, `..${++version}`];
        mkdirSync(join(folder, "tls", next));
        writeFileSync(join(folder, "tls", next, "tls.crt"), certificate);
        writeFileSync(join(folder, "tls", next, "tls.key"), key);
        symlinkSync(next, join(folder, "tls/..data_tmp"));
        renameSync(join(folder, "tls/..data_tmp"), join(folder, "tls/..data"));
        rmSync(join(folder, "tls", former), { recursive: true, force: true });
    }

    const renew = (name: string) => {
        const { certificate, key } = selfSigned(name);
        mount(certificate, key);
    };

    async function start(workers: number): Promise<void> {
        port = await freePort();
        writeFileSync(join(folder, "application.py"), APPLICATION);
        const pair = ["--ssl-certfile", join(folder, "tls/tls.crt"), "--ssl-keyfile", join(folder, "tls/tls.key")];
        const words = ["-B", scriptFile("restful-server.py"), "application:app", ...pair, "--packages", folder];
        server = spawn(
            "python3",
            [...words, "--host", "127.0.0.1", "--port", String(port), "--workers", String(workers)],
            { env: { ...process.env, PYTHONPATH: PACKAGES }, stdio: ["ignore", "inherit", "pipe"] },
        );
        server.stderr!.on("data", (text: Buffer) => (said += text));
        while ((await subject().catch(() => undefined)) === undefined) {
            assert.equal(server.exitCode, null, said);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    /** The name in the certificate that a new connection gets. */
    function subject(): Promise<string> {
        return new Promise((resolve, reject) => {
            const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
                resolve(socket.getPeerCertificate().subject.CN as string);
                socket.destroy();
            });
            socket.on("error", reject);
        });
    }

    const subjects = async () => [...new Set(await Promise.all(Array.from({ length: 40 }, subject)))];

    for (const workers of [1, 2]) {
        it(`is the renewed one for each new connection, in ${workers} workers without a restart`, async () => {
            renew("first");
            await start(workers);
            const { pid } = server!;
            assert.deepEqual(await subjects(), ["first"]);
            renew("second");
            assert.deepEqual(await subjects(), ["second"]);
            renew("third");
            assert.deepEqual(await subjects(), ["third"]);
            assert.deepEqual([server!.exitCode, server!.pid], [null, pid]);
        });
    }

    it("stays the last right one while the files are wrong, and the log says why", async () => {
        renew("first");
        await start(1);
        mount(selfSigned("second").certificate, selfSigned("other").key);
        assert.deepEqual(await subjects(), ["first"]);
        assert.match(said, /the renewed TLS certificate can't be loaded, the last one stays: .*KEY_VALUES_MISMATCH/i);
        assert.equal(said.match(/can't be loaded/g)!.length, 1);
        renew("third");
        assert.deepEqual(await subjects(), ["third"]);
    });
});

function freePort(): Promise<number> {
    return new Promise((resolve) => {
        const probe = createServer().listen(0, "127.0.0.1", () => {
            const address = probe.address();
            probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
        });
    });
}
