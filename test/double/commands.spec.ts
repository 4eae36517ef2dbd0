import assert from "node:assert/strict";

import { flux, inside } from "./support/flux";
import { withInstance } from "./support/instance";
import { isStandin } from "./support/root";

describe("flux R", function () {
    this.timeout(180_000);

    it("describes hosts with their cores and GPUs", async () => {
        const { stdout } = await flux(
            "R",
            "encode",
            "--hosts=mc-[0-3]",
            "--cores=0-1",
            "--gpus=0",
            "--property=fast:1-2",
        );
        assert.deepEqual(JSON.parse(stdout), {
            version: 1,
            execution: {
                R_lite: [{ rank: "0-3", children: { core: "0-1", gpu: "0" } }],
                starttime: 0,
                expiration: 0,
                nodelist: ["mc-[0-3]"],
                properties: { fast: "1-2" },
            },
        });
    });

    it("describes the machine's own cores for all hosts", async () => {
        const { stdout: resources } = await flux("R", "encode", "--hosts=mc-[0-1]", "--local");
        const { execution } = JSON.parse(resources) as {
            execution: { R_lite: { rank: string; children: { core: string } }[]; nodelist: string[] };
        };
        assert.deepEqual(execution.nodelist, ["mc-[0-1]"]);
        assert.deepEqual(
            execution.R_lite.map(({ rank }) => rank),
            ["0-1"],
        );
        assert.match(execution.R_lite[0]?.children.core ?? "", /^0/);
    });

    it("decodes its own output", async () => {
        const { stdout: resources } = await flux("R", "encode", "--hosts=mc-[0-3]", "--cores=0-1");
        const decode = async (...args: string[]): Promise<string> =>
            (await inside(["flux", "R", "decode", ...args], { input: resources })).stdout.trim();
        assert.equal(await decode("--nodelist"), "mc-[0-3]");
        assert.equal(await decode("--ranks"), "0-3");
        assert.equal(await decode("--count=core"), "8");
        assert.equal(await decode("--short"), "rank[0-3]/core[0-1]");
    });
});

describe("flux keygen", function () {
    this.timeout(180_000);

    it("writes a certificate that only its owner may read", async () => {
        const { stdout } = await inside([
            "sh",
            "-c",
            "flux keygen --name=mine --meta=a=1 /tmp/k.$$ && stat -c %a /tmp/k.$$ && cat /tmp/k.$$; rm /tmp/k.$$",
        ]);
        assert.match(stdout, /^600\n/);
        assert.match(stdout, /^metadata\n/m);
        assert.match(stdout, /^ {4}name = "mine"$/m);
        assert.match(stdout, /^curve\n {4}public-key = ".{40}"\n {4}secret-key = ".{40}"$/m);
    });
});

describe("flux proxy", function () {
    this.timeout(60_000);
    const instance = withInstance({ size: 1 });

    beforeEach(async () => {
        await instance().idle(1);
    });

    it("passes the words of the command to a shell", async () => {
        const { stdout } = await flux("proxy", instance().uri(), "echo", "$((1 + 1));", "flux", "getattr", "size");
        assert.equal(stdout, "2\n1\n");
    });

    it("refuses a path without a scheme", async () => {
        assert.match(
            (await flux("proxy", instance().uri().replace("local://", ""), "true")).stderr,
            /Unable to resolve .* to a URI/,
        );
    });

    it("refuses users who do not own the instance", async () => {
        const { code, stderr } = await inside(["flux", "proxy", instance().uri(), "true"], { uid: 12345 });
        assert.equal(code, 1);
        assert.match(stderr, /^flux-proxy: local:.*: Operation not permitted$/m);
    });
});

describe("client of a user who does not own the instance", function () {
    this.timeout(60_000);
    const instance = withInstance({ size: 1 });

    it("is refused", async () => {
        await instance().idle(1);
        const { code, stderr } = await inside(["flux", "getattr", "size"], {
            uid: 12345,
            env: { FLUX_URI: instance().uri() },
        });
        assert.equal(code, 1);
        assert.match(stderr, /flux: flux_open: Operation not permitted/);
    });
});

describe("client without a broker", function () {
    this.timeout(60_000);

    it("tries the socket for half a second", async () => {
        const started = Date.now();
        const { code, stderr } = await inside(["flux", "getattr", "size"], {
            env: { FLUX_URI: "local:///nowhere/local" },
        });
        assert.equal(code, 1);
        assert.match(stderr, /No such file or directory|was not found/);
        assert(Date.now() - started >= 490);
    });

    it("prints the version of its library and fails", async () => {
        const { code, stdout } = await inside(["flux", "version"], { env: { FLUX_URI: "local:///nowhere/local" } });
        assert.equal(code, 1);
        assert.match(stdout, /^libflux-core:/m);
    });
});

describe("uid without an entry in passwd", function () {
    this.timeout(180_000);

    it("owns an instance and runs jobs", async () => {
        const { code, stdout } = await inside(["flux", "start", "flux run id -u"], { uid: 12345 });
        assert.equal(code, 0);
        assert.equal(stdout, "12345\n");
    });

    it("makes flux uptime crash", async () => {
        assert.equal((await inside(["flux", "start", "flux uptime"], { uid: 12345 })).code, 139);
    });
});

(isStandin ? describe : describe.skip)("stand-in for Flux", function () {
    this.timeout(180_000);

    it("names itself and a version number in flux version", async () => {
        const { stdout } = await flux("version");
        assert.match(stdout, /stand-in for Flux \(not Flux\)/);
        assert.match(stdout, /^commands:\s+0\.88\.0$/m);
    });

    it("names itself in its help", async () =>
        assert.match((await flux("--help")).stderr, /stand-in for Flux \(not Flux\)/));

    it("names itself when a broker starts", async () => {
        assert.match(
            (await flux("start", "-Slog-stderr-level=5", "true")).stderr,
            /broker\.notice\[.*\]: stand-in for Flux \(not Flux\), imitating 0\.88\.0/,
        );
    });

    it("reports an option that only Flux has as not implemented", async () => {
        const { code, stderr } = await flux("start", "--test-size=2", "true");
        assert.equal(code, 2);
        assert.match(stderr, /stand-in: option --test-size exists in flux-core but is not implemented here/);
    });

    it("reports a command that only Flux has as not implemented", async () => {
        const { code, stderr } = await flux("kvs", "dir");
        assert.equal(code, 2);
        assert.match(stderr, /stand-in: `flux kvs dir` exists in flux-core but is not implemented here/);
    });

    it("reports an attribute that only Flux has as not implemented", async () => {
        const { code, stderr } = await flux("start", "-Sbroker.recovery-mode=1", "true");
        assert.equal(code, 1);
        assert.match(stderr, /stand-in: this attribute exists in flux-core but is not implemented here/);
    });
});
