import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";

import { scriptFile } from "../../../support/scriptFile";

/** Runs the server with other limits. It tells the header Accept of each request, and its own memory. */
const DRIVER = `
import asyncio, resource, sys
sys.path.insert(0, ${JSON.stringify(dirname(scriptFile("metrics_server.py")))})
import metrics_server
for name, value in [word.split("=") for word in sys.argv[2:]]:
    setattr(metrics_server, name, float(value) if "." in value else int(value))
async def answer(accept):
    return "text/plain", "%s %d\\n" % (accept.strip(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
listener = metrics_server.listen(int(sys.argv[1]))
asyncio.new_event_loop().run_until_complete(metrics_server.Server(answer).run(listener))
`;

const GET = "GET /metrics HTTP/1.1\r\nHost: mc\r\nACCEPT: some/type\r\n\r\n";

describe("the metrics server", () => {
    let server: ChildProcess;
    let port: number;
    const sockets: Socket[] = [];

    afterEach(() => {
        sockets.splice(0).forEach((socket) => socket.destroy());
        server.kill("SIGKILL");
    });

    async function start(...limits: readonly string[]): Promise<void> {
        port = await freePort();
        server = spawn("python3", ["-B", "-c", DRIVER, String(port), ...limits], { stdio: "inherit" });
        while ((await send(GET)) === "") {
            assert.equal(server.exitCode, null, "the server has ended");
            await setTimeout(20);
        }
    }

    /** The whole answer until the end of the connection; "" if there is none. */
    function send(text: string, host = "127.0.0.1"): Promise<string> {
        return new Promise((resolve) => {
            const socket = open(text, host);
            let answer = "";
            socket.on("data", (chunk: Buffer) => (answer += chunk));
            socket.on("close", () => resolve(answer));
        });
    }

    function open(text: string, host = "127.0.0.1"): Socket {
        const socket = connect(port, host, () => socket.write(text));
        socket.on("error", () => socket.destroy());
        sockets.push(socket);
        return socket;
    }

    it("answers requests for the metrics on both families of addresses, and no others", async () => {
        await start();
        for (const host of ["127.0.0.1", "::1"]) {
            assert.match(await send(GET, host), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nsome\/type \d+\n$/);
        }
        assert.match(await send("HEAD /metrics HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
        assert.match(await send("GET /metrics?x=1 HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 200 OK/);
        assert.match(await send("GET / HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 404 [^]*There is only \/metrics\.\n$/);
        assert.match(await send("POST /metrics HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 405 [^]*Allow: GET, HEAD\r\n/);
        assert.match(await send("nonsense\r\n\r\n"), /^HTTP\/1\.1 405 /);
    });

    it("refuses headers above 8 KiB, and closes the connection of a request that doesn't come", async () => {
        await start("HEADER_SECONDS=0.3");
        assert.match(await send(`GET /metrics HTTP/1.1\r\nX: ${"x".repeat(9000)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
        assert.equal(await send("GET /metrics HTTP/1.1\r\n"), "");
    });

    it("makes room for a scrape among connections without a request, and takes no memory for them", async () => {
        await start("CONNECTIONS=8", "SECONDS_BETWEEN=0.001");
        const memory = async () => Number(/(\d+)\n$/.exec(await send(GET))![1]);
        const before = await memory();
        for (let count = 0; count < 300; count++) {
            open(`GET /metrics HTTP/1.1\r\nX: ${"x".repeat(8000)}`);
        }
        const after = await memory();
        assert.ok(after - before < 6000, `${after - before} KiB`);
    });

    it("costs little CPU while clients send as many requests as they can", async () => {
        await start();
        const used = () => {
            const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ");
            return (Number(fields[11]) + Number(fields[12])) / 100;
        };
        const [before, began] = [used(), Date.now()];
        const flood = async () => {
            while (Date.now() - began < 2000) {
                await send(GET);
            }
        };
        await Promise.all(Array.from({ length: 20 }, flood));
        const share = (1000 * (used() - before)) / (Date.now() - began);
        assert.ok(share < 0.1, `${share} of a core`);
    });
});

async function freePort(): Promise<number> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    return port;
}
