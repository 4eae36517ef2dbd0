import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { Sandbox } from "../../support/sandbox";

const text = readFileSync(join(__dirname, "../../../../components/scripts/archive.sh"), "utf8");
const kept = "var/lib/flux-archive/lammps/content.tgz";
const link = "var/lib/flux/state/dump/RESTORE";

describe("archive.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ command: [], archive: { hostPath: "/x" } });
        pod.variables.MINICLUSTER_ARCHIVE = pod.path("var/lib/flux-archive/lammps");
        pod.write("etc/flux-minicluster/archive.sh", text);
    });
    afterEach(() => pod.remove());

    const claimed = () => {
        pod.write("var/lib/flux-archive/lammps/owner", "1.5\n");
        pod.write("run/flux/archive.owner", "1.5\n");
    };
    const dumped = (content: string) => {
        pod.write("var/lib/flux/state/dump/2.tgz", content);
        symlinkSync("2.tgz", pod.path(link));
    };

    const files = () => readdirSync(pod.path("var/lib/flux-archive/lammps")).sort();

    it("restores nothing the first time, and makes its folder", async () => {
        assert.equal((await pod.run("archive", ["restore"])).code, 0);
        assert.ok(!pod.has(link) && pod.has("var/lib/flux-archive/lammps"));
    });

    it("shows Flux what was kept", async () => {
        pod.write(kept, "queue");
        assert.equal((await pod.run("archive", ["restore"])).code, 0);
        assert.equal(readlinkSync(pod.path(link)), pod.path(kept));
    });

    it("keeps what Flux has dumped, in the place of what was kept before", async () => {
        pod.write(kept, "old");
        claimed();
        dumped("new");
        assert.equal((await pod.run("archive", ["save"])).stderr, "minicluster: the queue is saved\n");
        assert.equal(pod.read(kept), "new");
        assert.deepEqual(files(), ["content.tgz", "owner"]);
    });

    it("leaves the archive to another pod that has claimed it", async () => {
        pod.write(kept, "theirs");
        claimed();
        dumped("new");
        pod.write("var/lib/flux-archive/lammps/owner", "2.5\n");
        assert.match((await pod.run("archive", ["save"])).stderr, /^minicluster: the queue could not be saved in /);
        assert.equal(pod.read(kept), "theirs");
        assert.deepEqual(files(), ["content.tgz", "owner"]);
    });

    it("claims it where a pod starts, and clears up what others left half written", async () => {
        pod.write("var/lib/flux-archive/lammps/new.1.5.tgz", "half");
        claimed();
        await pod.run("archive", ["restore"]);
        assert.match(pod.read("run/flux/archive.owner"), /^(?!1\.5\n)[\d.]+\n$/);
        assert.equal(pod.read("var/lib/flux-archive/lammps/owner"), pod.read("run/flux/archive.owner"));
        assert.deepEqual(files(), ["owner"]);
    });

    it("restores nothing from an empty file", async () => {
        pod.write(kept, "");
        await pod.run("archive", ["restore"]);
        assert.ok(!pod.has(link));
    });

    describe("while the cluster runs", () => {
        /** Its looks end with the given number. */
        const keep = (looks: number, flux: string, period = "60") => {
            pod.write(kept, "old");
            pod.write("run/flux/ready", "");
            pod.write("pauses", "");
            pod.write("bin/sleep", `#!/bin/sh\necho "$1" >>"$SANDBOX/pauses"; [ "$(wc -l <"$SANDBOX/pauses")" -le ${looks} ]\n`, 0o755);
            return pod.run("archive", ["keep"], { FLUX_STUB: flux, MINICLUSTER_ARCHIVE_PERIOD: period });
        };
        const dumps = () => pod.calls.filter(([, command]) => command === "dump").length;

        it("keeps what changes, as often as it was told", async () => {
            await keep(3, 'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) echo "at $(wc -l <"$SANDBOX/pauses")" >"$3";; esac');
            assert.equal(pod.read(kept), "at 3\n");
            assert.equal(dumps(), 3);
            assert.equal(pod.read("pauses"), "60\n60\n60\n60\n");
        });

        it("dumps nothing again that is kept already", async () => {
            await keep(3, 'case $1 in kvs) echo 7;; dump) echo new >"$3";; esac');
            assert.equal(pod.read(kept), "new\n");
            assert.equal(dumps(), 1);
        });

        it("leaves what was kept where a dump fails, says so and tries again", async () => {
            const { stderr } = await keep(2, 'case $1 in kvs) echo 7;; dump) echo half >"$3"; exit 1;; esac');
            assert.equal(pod.read(kept), "old");
            assert.match(stderr, /^(minicluster: the queue could not be saved in .*\n){2}$/);
        });

        it("asks again where Flux doesn't answer", async () => {
            await keep(3, 'case $1 in kvs) [ "$(wc -l <"$SANDBOX/pauses")" = 3 ] && echo 7;; dump) echo new >"$3";; esac');
            assert.equal(pod.read(kept), "new\n");
        });

        for (const [signal, code] of [["SIGHUP", 0], ["SIGTERM", 143]] as const) {
            it(`ends with the initial program at ${signal}, and leaves its output to nobody`, async () => {
                const running = pod.start("stay");
                await pod.until(() => pod.has("run/flux/ready") && pod.has("run/flux/archive.owner"), "it runs");
                running.signal(signal);
                // That is when nobody has its output open any more, and there were two who would for ever.
                assert.equal((await running.ended).code, code);
            });
        }

        it("ends when another one has begun, and leaves it the archive", async () => {
            const next = 'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) echo new >"$3"; echo 1 >"$MINICLUSTER_ARCHIVE/owner";; esac';
            await keep(9, next);
            assert.equal(dumps(), 1);
            assert.equal(pod.read(kept), "old");
            assert.deepEqual(files(), ["content.tgz", "owner"]);
        });

        it("waits while there is no broker that has its quorum", async () => {
            await keep(3, 'case $1 in kvs) wc -l <"$SANDBOX/pauses"; rm "$MINICLUSTER_RUN/ready";; dump) echo new >"$3";; esac');
            assert.equal(dumps(), 1);
        });

        it("takes a tenth of the time at most", async () => {
            await keep(2, 'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) /bin/sleep 1.1; echo new >"$3";; esac', "1");
            assert.match(pod.read("pauses"), /^1\n[12]0\n/);
        });

        it("takes ranks back that were leaving when the dump was made, after a restore only", async () => {
            const drained = 'case $2 in drain) printf "%s\\n" "1-2 the pod is leaving" "3 broken" "4 the pod is leaving";; esac';
            await keep(0, drained);
            assert.equal(pod.calls.length, 0);
            await pod.run("archive", ["restore"]);
            await keep(0, drained);
            await keep(0, drained);
            const undrained = pod.calls.filter((call) => call.includes("undrain")).map((call) => call.at(-1));
            assert.deepEqual(undrained, ["1-2", "4"]);
        });

        it("is not begun where only an orderly end is asked for", async () => {
            const only = new Sandbox({ command: [], archive: { hostPath: "/x", period: 0 } });
            const running = only.start("stay");
            await only.until(() => only.has("run/flux/ready"), "it runs");
            running.signal("SIGTERM");
            assert.equal((await running.ended).code, 143);
            assert.ok(!only.has("run/flux/archive.owner"));
            only.remove();
        });
    });

    it("keeps what was kept where Flux has dumped nothing, or hasn't restored yet", async () => {
        pod.write(kept, "old");
        claimed();
        assert.equal((await pod.run("archive", ["save"])).stderr, "");
        await pod.run("archive", ["restore"]);
        assert.equal((await pod.run("archive", ["save"])).stderr, "");
        assert.equal(pod.read(kept), "old");
    });
});
