import assert from "node:assert/strict";
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { run } from "../../scripts/local/run";
import { scriptFile } from "../unit/support/scriptFile";
import { type Ended, inside } from "./support/flux";
import { withInstance } from "./support/instance";
import { fluxMinor, HAS_MODPROBE, HAS_SYNC } from "./support/version";

const archived = ["-Scontent.dump=auto", "-Scontent.restore=auto"];
const drained = "flux resource drain --no-header --format='{ranks} {reason}'";
const leaveSomething = "flux submit --quiet --urgency=hold --job-name=kept true; flux resource drain 1 by hand";
const showIt = `flux jobs --no-header --format='{name} {state}'; ${drained}; flux kvs eventlog get resource.eventlog | grep -c ' drain idset="1" .*reason="by hand"'`;
const everything = "kept SCHED\n1 by hand\n1\n";

describe("statedir", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 2 });

    it("keeps jobs, drained ranks and their event log for the next broker", async () => {
        assert.equal((await lead("state", leaveSomething)).code, 0);
        assert.equal((await lead("state", showIt)).stdout, everything);
    });

    it("keeps the last checkpoint of a killed broker", async function () {
        if ((await fluxMinor()) < HAS_SYNC) {
            this.skip();
        }
        instance().mkdir("state");
        const killed = await instance().broker(0, [
            ...options("state"),
            "bash",
            "-c",
            `${leaveSomething}; flux kvs sync; echo synced; sleep 1000`,
        ]);
        await killed.says(/^synced$/m);
        killed.kill("SIGKILL");
        await killed.ended;
        const { stdout, stderr } = await lead("state", showIt);
        assert.equal(stdout, everything);
        assert.match(stderr, /Flux was not shut down properly\. {2}Data may have been lost\./);
    });

    it("fails rc1 if its files are damaged", async () => {
        await lead("state", leaveSomething);
        const folder = instance().mkdir("state");
        for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
            writeFileSync(join(folder, name), "damaged ".repeat(1000));
        }
        const { code, stderr, stdout } = await lead("state", "echo not reached");
        assert.equal(code, 1);
        assert.equal(stdout, "");
        assert.match(stderr, /rc1-fail: init->shutdown/);
    });

    const options = (state: string): string[] => ["-Sbroker.quorum=1", `-Sstatedir=${instance().path(state)}`];

    async function lead(state: string, program: string): Promise<Ended> {
        instance().mkdir(state);
        return (await instance().broker(0, [...options(state), "bash", "-c", program])).ended;
    }
});

describe("content archive", function () {
    this.timeout(120_000);
    const instance = withInstance({ size: 2 });

    it("restores jobs, drained ranks and their event log", async () => {
        const archive = await dump();
        const { stdout } = await restore(archive, showIt);
        assert.equal(stdout, everything);
    });

    it("can come from flux dump", async () => {
        const { code } = await lead("first", [], `${leaveSomething}; flux dump --quiet ${instance().path("live.tgz")}`);
        assert.equal(code, 0);
        assert.equal((await restore("live.tgz", showIt)).stdout, everything);
    });

    it("passes the check of archive.py", async () => {
        await lead("first", archived, `${leaveSomething}; flux dump --quiet ${instance().path("live.tgz")}`);
        const [made] = readdirSync(host("first/dump")).filter((file) => file.endsWith(".tgz"));
        instance().write("archive.py", readFileSync(scriptFile("archive.py"), "utf8"));
        for (const archive of ["live.tgz", `first/dump/${made}`]) {
            const { code, stdout } = await inside([
                "flux",
                "python",
                instance().path("archive.py"),
                instance().path(archive),
            ]);
            assert.equal(stdout, "");
            assert.equal(code, 0);
        }
    });

    it("fails rc1 if it is cut off, and keeps its link RESTORE", async () => {
        const archive = await dump();
        truncateSync(host(archive), Math.floor(readFileSync(host(archive)).length / 2));
        const { code, stderr, stdout } = await restore(archive, "echo not reached");
        assert.equal(code, 1);
        assert.equal(stdout, "");
        assert.match(stderr, /rc1-fail: init->shutdown/);
        assert(readdirSync(host("second/dump")).includes("RESTORE"));
    });

    it("fails rc1 if it has another format", async () => {
        writeFileSync(host("none.tgz"), "this is no archive\n".repeat(100));
        assert.equal((await restore("none.tgz", "true")).code, 1);
    });

    it("restores nothing if it is empty", async () => {
        writeFileSync(host("empty.tgz"), "");
        const { code, stdout } = await restore("empty.tgz", `flux jobs -a --no-header; ${drained}; echo started`);
        assert.equal(stdout, "started\n");
        assert.equal(code, 0);
    });

    // The link RESTORE to the missing archive stays, so rc3 can't link another archive and fails.
    it("restores nothing and fails rc3 if it is missing, and fails rc1 before 0.77", async () => {
        const { code, stderr, stdout } = await restore("missing.tgz", "flux jobs -a --no-header; echo started");
        const fails = (await fluxMinor()) < HAS_MODPROBE;
        assert.equal(stdout, fails ? "" : "started\n");
        assert.match(stderr, fails ? /rc1-fail: init->shutdown/ : /rc3-fail: finalize->goodbye/);
        assert.equal(code, 1);
    });

    it("restores all of its files except those larger than 100 MiB", async () => {
        const archive = await dump();
        const [tar, big] = [host("plain.tar"), host("big")];
        writeFileSync(big, "");
        truncateSync(big, 101 << 20);
        await run("sh", [
            "-c",
            'gunzip -c "$1" >"$2" && tar --append --file="$2" --directory="$3" big && gzip -1 -c "$2" >"$1"',
            "sh",
            host(archive),
            tar,
            host("."),
        ]);
        const { stdout, stderr } = await restore(archive, showIt);
        assert.equal(stdout, everything);
        assert.match(stderr, /big size 105906176 exceeds 104857600 limit, skipping/);
    });

    const host = (name: string): string => join(instance().mkdir("."), name);

    /** Path of the archive that a first lead writes when it ends. */
    async function dump(): Promise<string> {
        assert.equal((await lead("first", archived, leaveSomething)).code, 0);
        const [name] = readdirSync(host("first/dump")).filter((file) => file.endsWith(".tgz"));
        return `first/dump/${name}`;
    }

    /** Starts a second lead with an archive. Returns the lead's end. */
    async function restore(archive: string, program: string): Promise<Ended> {
        instance().mkdir("second/dump");
        symlinkSync(instance().path(archive), host("second/dump/RESTORE"));
        return lead("second", archived, program);
    }

    async function lead(state: string, options: readonly string[], program: string): Promise<Ended> {
        instance().mkdir(state);
        const args = ["-Sbroker.quorum=1", `-Sstatedir=${instance().path(state)}`, ...options];
        return (await instance().broker(0, [...args, "bash", "-c", program])).ended;
    }
});
