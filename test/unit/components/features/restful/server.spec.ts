import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { scriptFile } from "../../../support/scriptFile";

/** uvicorn: by default the stand-in's. RESTFUL_PACKAGES=/path/to/site-packages tries another one. */
const PACKAGES = process.env["RESTFUL_PACKAGES"] ?? join(__dirname, "../../../../double/image/restful");

/** An application that tells what it got. A body of a login is right or wrong. */
const APPLICATION = `
import json, os, sys
import only_here
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = (await receive())["body"]
    status = 400 if body == b"wrong" else 200
    text = json.dumps([len(body), os.environ.get("PYTHONPATH"), sys.path]).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", str(len(text)).encode())]})
    await send({"type": "http.response.body", "body": text})
`;
/** Runs the server with other limits. */
const DRIVER = `
import runpy, sys
sys.path[1:1] = [sys.argv.pop(1), sys.argv.pop(1)]
import restful_limits
for name, value in [word.split("=") for word in sys.argv.pop(1).split()]:
    setattr(restful_limits, name, float(value) if "." in value else int(value))
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
`;

describe("the process of the RESTful server", () => {
    let folder: string;
    let server: ChildProcess | undefined;
    let port: number;
    const sockets: Socket[] = [];

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "server-"))));
    afterEach(() => {
        sockets.splice(0).forEach((socket) => socket.destroy());
        server?.kill("SIGKILL");
        rmSync(folder, { recursive: true });
    });

    async function start(limits = "", options: readonly string[] = []): Promise<void> {
        port = await freePort();
        mkdirSync(join(folder, "packages"));
        writeFileSync(join(folder, "packages/only_here.py"), "");
        writeFileSync(join(folder, "application.py"), APPLICATION);
        writeFileSync(join(folder, "driver.py"), DRIVER);
        const script = scriptFile("restful-server.py");
        const words = [join(folder, "driver.py"), PACKAGES, join(script, ".."), limits, script, "application:app"];
        const own = ["--packages", join(folder, "packages"), "--host", "127.0.0.1", "--port", String(port)];
        server = spawn("python3", ["-B", ...words, ...own, ...options], {
            env: { ...process.env, PYTHONPATH: "/changed/by/flux" },
            stdio: "inherit",
        });
        while ((await send().catch(() => undefined)) === undefined) {
            assert.equal(server.exitCode, null, "the server has ended");
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    interface Sent {
        readonly body?: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly from?: string;
        readonly path?: string;
    }

    function send({
        body = "",
        from,
        headers = {},
        path = "/",
    }: Sent = {}): Promise<{ status?: number; text: string }> {
        return new Promise((resolve, reject) => {
            const options = {
                host: "127.0.0.1",
                port,
                path,
                method: "POST",
                localAddress: from,
                headers,
                agent: false,
            };
            const sent = request(options, (response) => {
                let text = "";
                response.on("data", (chunk: Buffer) => (text += chunk));
                response.on("end", () => resolve({ status: response.statusCode, text }));
                response.on("error", reject);
            });
            sent.on("error", reject);
            sent.end(body);
        });
    }

    const logIn = async (body: string, from?: string) => (await send({ body, from, path: "/v1/token" })).status;
    const logInOften = async (times: number, body: string, from?: string) => {
        const answers: (number | undefined)[] = [];
        for (let time = 0; time < times; time++) {
            answers.push(await logIn(body, from));
        }
        return answers;
    };

    it("passes on the PYTHONPATH of the container, and none without one", async () => {
        await start("", ["--path", "/of/the/user"]);
        const [, path, modules] = JSON.parse((await send()).text) as [number, string, string[]];
        assert.equal(path, "/of/the/user");
        assert.deepEqual(
            [modules[0], modules.at(-1)],
            [join(folder, "packages"), join(scriptFile("restful.sh"), "..")],
        );
        server?.kill("SIGKILL");
        rmSync(join(folder, "packages"), { recursive: true });
        await start();
        assert.equal((JSON.parse((await send()).text) as unknown[])[1], null);
    });

    it("accepts a body of 1 MiB, and refuses a larger one before the application gets it", async () => {
        await start();
        const largest = await send({ body: "x".repeat(1 << 20) });
        assert.deepEqual([largest.status, JSON.parse(largest.text)[0]], [200, 1 << 20]);
        // Only the headers are sent, so the answer comes before the body.
        const socket = open();
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${(1 << 20) + 1}\r\n\r\n`);
        assert.match(await allOf(socket), /^HTTP\/1\.1 413 [^]*"The request's body has more than 1048576 bytes\."/);
    });

    it("closes a connection that sends no complete request in time, slowly or not at all", async () => {
        await start("HEADER_SECONDS=0.3 BODY_SECONDS=0.3");
        const [silent, slow, body] = [open(), open(), open()];
        slow.write("GET / HT");
        body.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
        const answers = await Promise.all([silent, slow, body].map(allOf));
        assert.deepEqual(answers.slice(0, 2), ["", ""]);
        assert.match(answers[2], /^HTTP\/1\.1 408 /);
    });

    it("keeps a limited number of connections, and answers again when they are closed", async () => {
        await start("CONNECTIONS=8 HEADER_SECONDS=60");
        const many = Array.from({ length: 20 }, open);
        const closed = new Set<Socket>();
        many.forEach((socket) => socket.on("close", () => closed.add(socket)));
        await holds(() => closed.size === 12);
        await assert.rejects(send());
        many.forEach((socket) => socket.destroy());
        await answersAgain();
    });

    it("refuses logins of an address after 10 failures, and lets others log in", async () => {
        await start("ADDRESS_SECONDS=3600");
        assert.deepEqual(await logInOften(12, "wrong"), [...Array<number>(10).fill(400), 429, 429]);
        assert.equal(await logIn("right"), 429);
        assert.deepEqual([await logIn("right", "127.0.0.2"), (await send()).status], [200, 200]);
    });

    it("never counts a login that succeeds", async () => {
        await start("ADDRESS_SECONDS=3600");
        assert.deepEqual(await logInOften(40, "right"), Array(40).fill(200));
    });

    it("refuses logins after many failures of many addresses, but not of an address that logged in before", async () => {
        await start("ADDRESS_SECONDS=3600 ALL_SECONDS=3600");
        assert.equal(await logIn("right", "127.0.0.99"), 200);
        for (let address = 2; address < 5; address++) {
            await logInOften(10, "wrong", `127.0.0.${address}`);
        }
        assert.equal(await logIn("right", "127.0.0.5"), 429);
        assert.equal(await logIn("right", "127.0.0.99"), 200);
    });

    it("counts pages that take user and password as logins", async () => {
        await start("ADDRESS_SECONDS=3600");
        const headers = { authorization: "Basic Og==" };
        const answers = [];
        for (let time = 0; time < 11; time++) {
            answers.push((await send({ body: "wrong", headers })).status);
        }
        assert.deepEqual(answers, [...Array<number>(10).fill(400), 429]);
    });

    function open(): Socket {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => undefined);
        sockets.push(socket);
        return socket;
    }

    const allOf = (socket: Socket) =>
        new Promise<string>((resolve) => {
            let text = "";
            socket.on("data", (chunk: Buffer) => (text += chunk));
            socket.on("close", () => resolve(text));
        });

    async function answersAgain(): Promise<void> {
        while ((await send().catch(() => undefined))?.status !== 200) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }
});

async function holds(condition: () => boolean): Promise<void> {
    while (!condition()) {
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

function freePort(): Promise<number> {
    return new Promise((resolve) => {
        const probe = createServer().listen(0, "127.0.0.1", () => {
            const address = probe.address();
            probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
        });
    });
}
