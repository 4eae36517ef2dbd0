import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { curveCertificate } from "../../../../../provider/contract/curveKey";
import { makeKeyPair } from "../../../../../provider/curveKey/keyPair";
import { scriptFile } from "../../../support/scriptFile";
import { soon } from "../../../../e2e/support/until";

const SCRIPT = scriptFile("hosts.py");

/** Ranks as processes on the loopback network, each with its own hosts file. The lead is at 127.0.0.1. */
class Ranks {
    readonly folder = mkdtempSync(join(tmpdir(), "hosts-"));
    private readonly children: ChildProcess[] = [];
    /** The program of the ranks. */
    script = SCRIPT;
    port = 0;

    async open(): Promise<void> {
        this.key("right");
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        this.port = (server.address() as AddressInfo).port;
        await new Promise((resolve) => server.close(resolve));
    }

    key(name: string): string {
        const path = join(this.folder, name);
        writeFileSync(path, curveCertificate("x", makeKeyPair()));
        return path;
    }

    start(rank: number, address: string, certificate = join(this.folder, "right"), known = "") {
        const path = join(this.folder, `hosts-${rank}-${address}`);
        writeFileSync(path, `127.0.0.1\tlocalhost\n${known}`);
        const child = spawn("python3", [this.script], {
            env: {
                PATH: process.env.PATH,
                JOB_COMPLETION_INDEX: String(rank),
                MINICLUSTER_ADDRESS: address,
                MINICLUSTER_CERTIFICATE: certificate,
                MINICLUSTER_CLUSTER: "lammps",
                MINICLUSTER_HOSTS: path,
                MINICLUSTER_HOSTS_PORT: String(this.port),
                MINICLUSTER_LEAD: "127.0.0.1",
                MINICLUSTER_QUORUM: "3",
                MINICLUSTER_RANKS: "3",
                MINICLUSTER_SUBDOMAIN: "lammps.hpc.svc.cluster.local",
            },
        });
        this.children.push(child);
        const said = { out: "", err: "" };
        child.stdout.on("data", (chunk) => (said.out += chunk));
        child.stderr.on("data", (chunk) => (said.err += chunk));
        return { child, said, path, hosts: () => readFileSync(path, "utf8") };
    }

    /** The proof of hosts.py that it has the key: an HMAC of the list of values, in Python's form of JSON. */
    proof(...parts: readonly unknown[]): string {
        const secret = /secret-key\s*=\s*"(.*)"/.exec(readFileSync(join(this.folder, "right"), "utf8"))![1];
        const key = createHash("sha256").update(secret).digest();
        const text = parts.map((part) => JSON.stringify(part).replace(/":"/g, '": "').replace(/","/g, '", "'));
        return createHmac("sha256", key)
            .update(`[${text.join(", ")}]`)
            .digest("hex");
    }

    close(): void {
        this.children.forEach((child) => child.kill("SIGKILL"));
        rmSync(this.folder, { recursive: true, force: true });
    }
}

describe("hosts.py", function () {
    this.timeout(60_000);
    let ranks: Ranks;

    beforeEach(async () => {
        ranks = new Ranks();
        await ranks.open();
    });

    afterEach(() => ranks.close());

    const lines = (...addresses: string[]) =>
        ["127.0.0.1\tlocalhost", "# The ranks, by minicluster:"]
            .concat(
                addresses.map(
                    (address, rank) => `${address}\tlammps-${rank}.lammps.hpc.svc.cluster.local lammps-${rank}`,
                ),
                "# The end of the ranks.",
                "",
            )
            .join("\n");

    it("reports that it waits for the quorum, then continues, and knows all ranks in any order", async () => {
        const second = ranks.start(2, "127.0.0.3");
        const lead = ranks.start(0, "127.0.0.1");
        await soon("two are known", () => lead.hosts().includes("127.0.0.3"));
        await soon("it is said", () =>
            lead.said.err.endsWith("minicluster: waits for the addresses of 1 more ranks\n"),
        );
        assert.deepEqual([second.said.out, lead.said.out], ["", ""]);
        const first = ranks.start(1, "127.0.0.2");
        for (const rank of [lead, first, second]) {
            await soon("ready", () => rank.said.out === "ready\n");
            assert.equal(rank.hosts(), lines("127.0.0.1", "127.0.0.2", "127.0.0.3"));
        }
    });

    it("repeats a write that has failed, without another change", async () => {
        const [lead, first] = [ranks.start(0, "127.0.0.1"), ranks.start(1, "127.0.0.2")];
        await soon("two are known", () => first.hosts().includes("127.0.0.2") && lead.hosts().includes("127.0.0.2"));
        const away = `${first.path}.away`;
        renameSync(first.path, away);
        const third = ranks.start(2, "127.0.0.3");
        await soon("the lead knows the third", () => third.said.out === "ready\n");
        renameSync(away, first.path);
        await soon("the file has it", () => first.hosts() === lines("127.0.0.1", "127.0.0.2", "127.0.0.3"));
    });

    it("updates the address of a follower or a lead that comes back with another one", async () => {
        const [lead, first] = [ranks.start(0, "127.0.0.1"), ranks.start(1, "127.0.0.2")];
        ranks.start(2, "127.0.0.3");
        await soon("all are known", () => first.hosts().includes("127.0.0.3"));
        ranks.start(2, "127.0.0.9");
        await soon("the new address is known", () => first.hosts() === lines("127.0.0.1", "127.0.0.2", "127.0.0.9"));
        lead.child.kill("SIGKILL");
        await new Promise((resolve) => lead.child.once("close", resolve));
        const again = ranks.start(0, "127.0.0.8");
        await soon("the new lead is known", () => first.hosts().includes("127.0.0.8\tlammps-0."));
        await soon(
            "the new lead knows the others",
            () => again.hosts().includes("lammps-2") && again.hosts().includes("lammps-1"),
        );
    });

    /** Connects as a follower with this address, and collects the lead's messages. */
    async function follower(rank: number, address: string) {
        const socket = connect(ranks.port, "127.0.0.1");
        const messages: { addresses: Record<string, string>; count: number }[] = [];
        createInterface(socket).on("line", (line) => {
            const message = JSON.parse(line);
            if (message.challenge === undefined) {
                messages.push(message);
            } else {
                const proof = ranks.proof(message.challenge, "mine", String(rank), address);
                socket.write(`${JSON.stringify({ rank, address, challenge: "mine", proof })}\n`);
            }
        });
        await soon("the lead answers", () => messages.length > 0);
        return { messages, end: () => socket.destroy() };
    }

    it("sends a follower all addresses once, and then only changed ones", async () => {
        const lead = ranks.start(0, "127.0.0.1");
        ranks.start(1, "127.0.0.2");
        await soon("two are known", () => lead.hosts().includes("127.0.0.2"));
        const { messages, end } = await follower(3, "127.0.0.4");
        ranks.start(2, "127.0.0.3");
        // A message without addresses is a heartbeat.
        const told = () =>
            messages.map(({ addresses }) => addresses).filter((addresses) => Object.keys(addresses).length > 0);
        await soon("the change is told", () => told().length > 1);
        assert.deepEqual(told(), [{ 0: "127.0.0.1", 1: "127.0.0.2", 3: "127.0.0.4" }, { 2: "127.0.0.3" }]);
        end();
    });

    it("asks for all addresses again if it has missed a change", async () => {
        const hellos: Socket[] = [];
        const lead: Server = createServer((socket) => {
            hellos.push(socket);
            socket.on("error", () => undefined).write('{"challenge": "mine"}\n');
            createInterface(socket).on("line", (line) => {
                const { challenge } = JSON.parse(line);
                for (const [count, addresses] of [
                    [1, { 0: "127.0.0.1" }],
                    [3, { 2: "127.0.0.3" }],
                ] as const) {
                    socket.write(
                        `${JSON.stringify({ addresses, count, proof: ranks.proof(challenge, count, addresses) })}\n`,
                    );
                }
            });
        });
        await new Promise<void>((resolve) => lead.listen(ranks.port, "127.0.0.1", resolve));
        const rank = ranks.start(1, "127.0.0.2");
        await soon("it has asked twice", () => hellos.length > 1);
        assert.equal(rank.hosts(), lines("127.0.0.1", "127.0.0.2"));
        lead.close();
        hellos.forEach((socket) => socket.destroy());
    });

    it("keeps lines that a hook or a job adds before or after its own", async () => {
        const lead = ranks.start(0, "127.0.0.1");
        ranks.start(1, "127.0.0.2");
        await soon("two are known", () => lead.hosts() === lines("127.0.0.1", "127.0.0.2"));
        const path = join(ranks.folder, "hosts-0-127.0.0.1");
        writeFileSync(path, `10.0.0.1\tlicense\n${lines("127.0.0.1", "127.0.0.2")}10.0.0.2\tdata\n`);
        ranks.start(2, "127.0.0.3");
        const all = lines("127.0.0.1", "127.0.0.2", "127.0.0.3");
        await soon("the third is known", () => lead.hosts() === `10.0.0.1\tlicense\n${all}10.0.0.2\tdata\n`);
    });

    for (const [what, change] of [
        ["the mark at the end", (text: string) => text.replace("# The end of the ranks.\n", "")],
        ["the mark at the beginning", (text: string) => text.replace("# The ranks, by minicluster:\n", "")],
        ["all comments", (text: string) => text.replace(/^#.*\n/gm, "")],
        ["the line of a rank", (text: string) => text.replace(/^127\.0\.0\.2.*\n/m, "")],
    ] as const) {
        it(`keeps these lines, and replaces all of its own, if a hook or a job removes ${what}`, async () => {
            const lead = ranks.start(0, "127.0.0.1");
            ranks.start(1, "127.0.0.2");
            await soon("two are known", () => lead.hosts() === lines("127.0.0.1", "127.0.0.2"));
            const path = join(ranks.folder, "hosts-0-127.0.0.1");
            writeFileSync(path, `${change(lines("127.0.0.1", "127.0.0.2"))}10.0.0.2\tdata\n`);
            ranks.start(2, "127.0.0.3");
            const all = lines("127.0.0.1", "127.0.0.2", "127.0.0.3");
            await soon("the third is known", () => lead.hosts() === `${all}10.0.0.2\tdata\n`, 5);
        });
    }

    /** A client without the key: it sends what it is given and ends with its connection. */
    async function stranger(text = "") {
        const socket = connect(ranks.port, "127.0.0.1");
        const state = { challenged: false, ended: false };
        socket.on("error", () => undefined);
        socket.on("close", () => (state.ended = true));
        socket.on("data", () => (state.challenged = true));
        await soon("the lead answers", () => state.challenged);
        socket.write(text);
        return { state, end: () => socket.destroy() };
    }

    async function listening() {
        const lead = ranks.start(0, "127.0.0.1");
        ranks.start(1, "127.0.0.2");
        await soon("the lead listens", () => lead.hosts().includes("127.0.0.2"));
        return lead;
    }

    it("ends the connection of a client whose first line is longer than 4 KiB", async () => {
        await listening();
        const { state } = await stranger("x".repeat(4097));
        // The time limit of a handshake would end it after 10 s.
        await soon("it is ended", () => state.ended, 8);
    });

    it("ends a connection without a proof after 10 s, also if the client sends a byte now and then", async function () {
        this.slow(15_000);
        await listening();
        const socket = connect(ranks.port, "127.0.0.1");
        let ended = false;
        socket.on("error", () => undefined).on("close", () => (ended = true));
        socket.resume();
        const bytes = setInterval(() => socket.write("x"), 500);
        await soon("it is ended", () => ended).finally(() => clearInterval(bytes));
    });

    it("ends the oldest of too many connections without a proof, and still accepts ranks", async () => {
        // Without the time limit of a handshake, which would end it too.
        ranks.script = join(ranks.folder, "hosts.py");
        const patient = readFileSync(SCRIPT, "utf8").replace(/^HANDSHAKE_SECONDS = .*$/m, "HANDSHAKE_SECONDS = 10000");
        writeFileSync(ranks.script, patient);
        const lead = await listening();
        const clients: Awaited<ReturnType<typeof stranger>>[] = [];
        for (let index = 0; index < 2 * 3 + 64 + 1; index++) {
            clients.push(await stranger());
        }
        await soon("the oldest is ended", () => clients[0].state.ended);
        assert.deepEqual(
            clients.slice(1).filter(({ state }) => state.ended),
            [],
        );
        ranks.start(2, "127.0.0.3");
        await soon("the rank is known", () => lead.hosts().includes("127.0.0.3"));
        clients.forEach(({ end }) => end());
    });

    it("keeps all names when it restarts", async () => {
        const known = lines("127.0.0.1", "127.0.0.2", "127.0.0.3").replace(/^.*\n/, "");
        const rank = ranks.start(1, "127.0.0.7", undefined, known);
        await soon("its own address is new", () => rank.hosts() === lines("127.0.0.1", "127.0.0.7", "127.0.0.3"));
    });

    it("exchanges no addresses with a rank that has another key", async () => {
        const [lead, first] = [ranks.start(0, "127.0.0.1"), ranks.start(1, "127.0.0.2")];
        const stranger = ranks.start(2, "127.0.0.3", ranks.key("wrong"));
        await soon(
            "the right one is known",
            () => lead.hosts().includes("127.0.0.2") && first.hosts().includes("lammps-0"),
        );
        assert.doesNotMatch(lead.hosts(), /127\.0\.0\.3/);
        assert.doesNotMatch(stranger.hosts(), /127\.0\.0\.2/);
    });
});
