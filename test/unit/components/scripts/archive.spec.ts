import assert from "node:assert/strict";
import { readFileSync, readlinkSync, symlinkSync } from "node:fs";
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

    const dumped = (content: string) => {
        pod.write("var/lib/flux/state/dump/2.tgz", content);
        symlinkSync("2.tgz", pod.path(link));
    };

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
        dumped("new");
        assert.equal((await pod.run("archive", ["save"])).stderr, "minicluster: the queue is saved\n");
        assert.equal(pod.read(kept), "new");
        assert.ok(!pod.has("var/lib/flux-archive/lammps/content.new.tgz"));
    });

    describe("while the cluster runs", () => {
        /** Its looks end with the given number. */
        const keep = (looks: number, flux: string) => {
            pod.write("var/lib/flux-archive/lammps/content.tgz", "old");
            pod.write("bin/sleep", `#!/bin/sh\necho "$1" >>"$SANDBOX/pauses"; [ "$(wc -l <"$SANDBOX/pauses")" -le ${looks} ]\n`, 0o755);
            return pod.run("archive", ["keep"], { FLUX_STUB: flux, MINICLUSTER_ARCHIVE_PERIOD: "60" });
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

        it("ends when another one has begun", async () => {
            const next = 'case $1 in kvs) wc -l <"$SANDBOX/pauses"; echo 1 >"$MINICLUSTER_RUN/archive.owner";; dump) echo new >"$3";; esac';
            await keep(9, next);
            assert.equal(dumps(), 1);
        });
    });

    it("keeps what was kept where Flux has dumped nothing, or hasn't restored yet", async () => {
        pod.write(kept, "old");
        assert.equal((await pod.run("archive", ["save"])).stderr, "");
        await pod.run("archive", ["restore"]);
        assert.equal((await pod.run("archive", ["save"])).stderr, "");
        assert.equal(pod.read(kept), "old");
    });
});
