import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { flux, inside, type Ended, type Running } from "./support/flux";
import { withInstance } from "./support/instance";

const online = /quorum-full: quorum->run/;

describe("Flux instance", function () {
    this.timeout(120_000);
    const instance = withInstance();

    it("ends its followers first, and with 0, when the initial program has ended", async () => {
        const { lead, followers } = await instance().run(3, "exit 5");
        assert.equal((await lead.ended).code, 5);
        for (const follower of followers) {
            assert.equal((await follower.ended).code, 0);
        }
        assert.match(lead.stderr, /rc2-fail: run->cleanup[^]*children-complete: shutdown->finalize[^]*->exit /);
    });

    it("ends with 129 when the lead gets SIGTERM and the initial program SIGHUP", async () => {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await lead.says(online);
        lead.kill("SIGTERM");
        assert.equal((await lead.ended).code, 129);
        for (const follower of followers) {
            assert.equal((await follower.ended).code, 0);
        }
        assert.match(lead.stderr, /broker\.info\[0\]: signal 15\n/);
    });

    it("ends with 1 when the initial program answers SIGHUP with exit 0", async () => {
        const { lead } = await instance().run(3, "trap 'exit 0' HUP; echo trapped; while :; do sleep 0.1; done");
        await lead.says(/^trapped$/m);
        lead.kill("SIGTERM");
        assert.equal((await lead.ended).code, 1);
        assert.match(lead.stderr, /aborted after exit with rc=0 \(rc=1\)/);
    });

    it("ends with 0 when the lead gets SIGTERM before the quorum", async () => {
        const lead = await instance().broker(0, ["true"]);
        await lead.says(/init->quorum/);
        lead.kill("SIGTERM");
        assert.equal((await lead.ended).code, 0);
        assert.match(lead.stderr, /quorum-fail: quorum->shutdown/);
    });

    it("ends a follower with 1 when the follower gets SIGTERM before it has joined", async () => {
        const follower = await instance().broker(1);
        await follower.says(/->join /);
        follower.kill("SIGTERM");
        assert.equal((await follower.ended).code, 1);
        assert.match(follower.stderr, /parent-fail: join->shutdown/);
    });

    it("ends a follower with 0 when the follower gets SIGTERM, and keeps the other ranks", async () => {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await followers[1]?.says(online);
        followers[1]?.kill("SIGTERM");
        assert.equal((await followers[1]?.ended)?.code, 0);
        await lead.says(/dead to Flux: mc-2 \(rank 2\)/);
        const { stdout } = await instance().flux("overlay", "status");
        assert.equal(stdout, "0 mc-0: partial\n├─ 1 mc-1: full\n└─ 2 mc-2: offline administrative shutdown\n");
    });

    it("ends all ranks on flux shutdown", async () => {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await lead.says(online);
        assert.equal((await instance().flux("shutdown", "--quiet")).code, 0);
        assert.equal((await lead.ended).code, 129);
        for (const follower of followers) {
            assert.equal((await follower.ended).code, 0);
        }
    });

    it("ends its followers with 1 when a new lead replaces a killed one", async () => {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        for (const follower of followers) {
            await follower.says(online);
        }
        lead.kill("SIGKILL");
        await lead.ended;
        const second = await instance().broker(0, ["-Sbroker.quorum=1", "sleep", "1000"]);
        for (const follower of followers) {
            assert.equal((await follower.ended).code, 1);
            assert.match(
                follower.stderr,
                /mc-0 \(rank 0\) sent disconnect control message\n[^]*(parent-fail|shutdown): run->cleanup/,
            );
        }
        second.kill("SIGKILL");
    });
});

describe("rank", function () {
    this.timeout(120_000);
    const instance = withInstance();

    it("waits until its lead starts", async () => {
        const follower = await instance().broker(1);
        await follower.says(/->join /);
        const lead = await instance().broker(0, ["-Sbroker.quorum=2", "flux", "run", "-N2", "true"]);
        assert.equal((await lead.ended).code, 0, lead.stderr);
        assert.equal((await follower.ended).code, 0, follower.stderr);
    });

    it("runs jobs although it joins after the quorum", async () => {
        const lead = await instance().broker(0, [
            "-Sbroker.quorum=1",
            "bash",
            "-c",
            "flux resource list -no '{state} {nnodes}'; flux run -N3 -l flux getattr rank | sort",
        ]);
        await lead.says(/down 2/);
        await instance().broker(1);
        await instance().broker(2);
        const { code, stdout } = await lead.ended;
        assert.equal(code, 0);
        assert.equal(stdout, "free 1\nallocated 0\ndown 2\n0: 0\n1: 1\n2: 2\n");
    });

    it("fails its job when it is lost, is down, and can join again", async () => {
        const { lead, followers } = await instance().run(
            3,
            "flux run -N3 sleep 1000; echo job $?; flux run -N3 true; echo again $?",
        );
        await allocated(3);
        followers[1]?.kill("SIGKILL");
        await lead.says(/\.err\[0\]: mc-2 \(rank 2\) failed/);
        await lead.says(/job 143/);
        assert.match(lead.stderr, /type=exec severity=0 node failure on mc-2 \(rank 2\)/);
        const { stdout } = await instance().flux(
            "resource",
            "list",
            "-s",
            "down",
            "-no",
            "{state} {nnodes} {nodelist}",
        );
        assert.equal(stdout, "down 1 mc-2\n");
        await instance().broker(2);
        await lead.says(/again 0/);
        assert.equal((await lead.ended).code, 0);
    });

    it("lets the next job on as many ranks wait until the rank is back and no drain keeps it", async () => {
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await lead.says(/quorum->run/);
        await instance().flux("resource", "drain", "2", "the pod is leaving");
        const { stdout: id } = await instance().flux("submit", "-N3", "-n3", "true");
        followers[1]?.kill("SIGKILL");
        await lead.says(/\.err\[0\]: mc-2 \(rank 2\) failed/);
        assert.match((await instance().flux("exec", "--noinput", "--rank=2", "true")).stderr, /No route to host/);
        const again = await instance().broker(2);
        await again.says(/quorum->run/);
        assert.equal((await instance().flux("exec", "--noinput", "--rank=2", "true")).code, 0);
        assert.doesNotMatch((await instance().flux("job", "eventlog", id.trim())).stdout, / alloc /);
        await instance().flux("resource", "undrain", "2");
        assert.equal((await instance().flux("job", "attach", id.trim())).code, 0);
    });

    it("never returns after a loss if the resources were discovered", async () => {
        instance().write("conf/resource.toml", "[resource]\nnorestrict = true\n");
        const { lead, followers } = await instance().run(3, "sleep 1000");
        await lead.says(/quorum->run/);
        await counted("free 3\nallocated 0\ndown 0\n");
        followers[1]?.kill("SIGKILL");
        await counted("free 2\nallocated 0\ndown 0\n");
        const again = await instance().broker(2);
        await again.says(/quorum->run/);
        assert.equal(await count(), "free 2\nallocated 0\ndown 0\n");

        async function count(): Promise<string> {
            return (await instance().flux("resource", "list", "-no", "{state} {nnodes}")).stdout;
        }

        async function counted(expected: string): Promise<void> {
            while ((await count()) !== expected) {
                // Repeat until mocha's timeout.
            }
        }
    });

    it("never joins with another key", async () => {
        await flux("keygen", instance().path("other.cert"));
        const config = readFileSync(`${instance().mkdir("conf")}/broker.toml`, "utf8");
        const lead = await instance().broker(0, ["-Sbroker.quorum=2", "flux", "overlay", "status"]);
        await lead.says(/init->quorum/);
        instance().write("conf/broker.toml", config.replace("/curve.cert", "/other.cert"));
        const stranger = await instance().broker(2);
        await stranger.says(/->join /);
        instance().write("conf/broker.toml", config);
        await instance().broker(1);
        assert.equal((await lead.ended).stdout, "0 mc-0: partial\n├─ 1 mc-1: full\n└─ 2 mc-2: offline\n");
        assert.doesNotMatch(stranger.stderr, /parent-ready/);
        assert.ok(stranger.alive);
    });

    async function allocated(count: number): Promise<void> {
        for (;;) {
            const { stdout } = await instance().flux("resource", "list", "-s", "allocated", "-no", "{state} {nnodes}");
            if (stdout === `allocated ${count}\n`) {
                return;
            }
        }
    }
});

describe("follower without a lead", function () {
    this.timeout(120_000);
    const instance = withInstance();

    it("answers only requests that need no lead", async () => {
        const follower = await instance().broker(1);
        await follower.says(/->join /);
        const ask = (...args: string[]): Promise<Ended> =>
            inside(["flux", ...args], { env: { FLUX_URI: instance().uri(1) } });
        assert.equal((await ask("getattr", "rank")).stdout, "1\n");
        assert.match((await ask("uptime")).stdout, / join .* owner root,  depth 0,  size 3$/m);
        assert.match(
            (await ask("run", "true")).stderr,
            /flux-run: ERROR: Upstream Flux broker is offline\. Try again later\./,
        );
        assert.match(
            (await ask("ping", "--count=1", "--rank=1", "job-ingest")).stderr,
            /flux-ping: 1!job-ingest\.ping: Resource temporarily unavailable/,
        );
    });
});

describe("tree of brokers over IPv6", function () {
    this.timeout(120_000);
    const bootstrap = `[bootstrap]
curve_cert = "%FOLDER%/curve.cert"
enable_ipv6 = true
hosts = [
  { host = "mc-0", bind = "tcp://[::]:%PORT%", connect = "tcp://[::1]:%PORT%" },
  { host = "mc-1", bind = "ipc://%FOLDER%/inner", connect = "ipc://%FOLDER%/inner" },
  { host = "mc-2" },
]`;
    const instance = withInstance({ bootstrap });

    it("passes messages through its inner ranks", async () => {
        const topology = ["-Stbon.topo=kary:1"];
        const lead = await instance().broker(0, [
            ...topology,
            "bash",
            "-c",
            "flux overlay status; flux run -N3 -l flux getattr rank | sort; flux exec -r 2 flux exec -r 1 flux getattr tbon.level",
        ]);
        const others: Running[] = [await instance().broker(1, topology), await instance().broker(2, topology)];
        const { code, stdout } = await lead.ended;
        assert.equal(stdout, "0 mc-0: full\n└─ 1 mc-1: full\n   └─ 2 mc-2: full\n0: 0\n1: 1\n2: 2\n1\n");
        assert.equal(code, 0);
        for (const other of others) {
            assert.equal((await other.ended).code, 0);
        }
    });
});
