import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { curveCertificate } from "../../../../components/flux/curveCert";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";

const SCRIPT = join(__dirname, "../../../../components/scripts/hosts.py");

/** Ranks as processes on loopback, each with a hosts file of its own; rank 0 is at 127.0.0.1. */
class Ranks {
    readonly folder = mkdtempSync(join(tmpdir(), "hosts-"));
    private readonly children: ChildProcess[] = [];
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

    start(rank: number, address: string, certificate = join(this.folder, "right")) {
        const path = join(this.folder, `hosts-${rank}-${address}`);
        writeFileSync(path, "127.0.0.1\tlocalhost\n");
        const child = spawn("python3", [SCRIPT], {
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
                MINICLUSTER_SUBDOMAIN: "lammps.hpc.svc.cluster.local",
            },
        });
        this.children.push(child);
        const said = { out: "", err: "" };
        child.stdout.on("data", (chunk) => (said.out += chunk));
        child.stderr.on("data", (chunk) => (said.err += chunk));
        return { child, said, hosts: () => readFileSync(path, "utf8") };
    }

    close(): void {
        this.children.forEach((child) => child.kill("SIGKILL"));
        rmSync(this.folder, { recursive: true, force: true });
    }
}

async function until(what: string, holds: () => boolean): Promise<void> {
    for (const deadline = Date.now() + 15_000; !holds(); ) {
        assert(Date.now() < deadline, `not within 15 s: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
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
            .concat(addresses.map((address, rank) => `${address}\tlammps-${rank}.lammps.hpc.svc.cluster.local lammps-${rank}`), "")
            .join("\n");

    it("says that it waits, goes on at a quorum, and knows all ranks in whatever order they come", async () => {
        const second = ranks.start(2, "127.0.0.3");
        const lead = ranks.start(0, "127.0.0.1");
        await until("two are known", () => lead.hosts().includes("127.0.0.3"));
        await until("it is said", () => lead.said.err.endsWith("minicluster: waits for the addresses of 1 more ranks\n"));
        assert.deepEqual([second.said.out, lead.said.out], ["", ""]);
        const first = ranks.start(1, "127.0.0.2");
        for (const rank of [lead, first, second]) {
            await until("ready", () => rank.said.out === "ready\n");
            assert.equal(rank.hosts(), lines("127.0.0.1", "127.0.0.2", "127.0.0.3"));
        }
    });

    it("follows a rank that comes back with another address, and a lead that does", async () => {
        const [lead, first] = [ranks.start(0, "127.0.0.1"), ranks.start(1, "127.0.0.2")];
        ranks.start(2, "127.0.0.3");
        await until("all are known", () => first.hosts().includes("127.0.0.3"));
        ranks.start(2, "127.0.0.9");
        await until("the new address is known", () => first.hosts() === lines("127.0.0.1", "127.0.0.2", "127.0.0.9"));
        lead.child.kill("SIGKILL");
        await new Promise((resolve) => lead.child.once("close", resolve));
        const again = ranks.start(0, "127.0.0.8");
        await until("the new lead is known", () => first.hosts().includes("127.0.0.8\tlammps-0."));
        await until("the new lead knows the others", () => again.hosts().includes("lammps-2") && again.hosts().includes("lammps-1"));
    });

    it("takes nothing from who hasn't the key, and gives nothing to it", async () => {
        const [lead, first] = [ranks.start(0, "127.0.0.1"), ranks.start(1, "127.0.0.2")];
        const stranger = ranks.start(2, "127.0.0.3", ranks.key("wrong"));
        await until("the right one is known", () => lead.hosts().includes("127.0.0.2") && first.hosts().includes("lammps-0"));
        assert.doesNotMatch(lead.hosts(), /127\.0\.0\.3/);
        assert.doesNotMatch(stranger.hosts(), /127\.0\.0\.2/);
    });
});
