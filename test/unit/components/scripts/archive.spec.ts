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
        assert.ok(!pod.has(`${kept}.new`));
    });

    it("keeps what was kept where Flux has dumped nothing, or hasn't restored yet", async () => {
        pod.write(kept, "old");
        assert.equal((await pod.run("archive", ["save"])).stderr, "");
        await pod.run("archive", ["restore"]);
        assert.equal((await pod.run("archive", ["save"])).stderr, "");
        assert.equal(pod.read(kept), "old");
    });
});
