import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

import { dump } from "../../../support/dump";
import { Sandbox } from "../../../support/sandbox";

const PYTHON = 'case $1 in python) shift; exec python3 "$@";; esac';
const kept = "var/lib/flux-archive/lammps/content.tgz";
const link = "var/lib/flux/state/dump/RESTORE";

describe("archive.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ command: [], archive: { hostPath: "/x" } });
        pod.variables.MINICLUSTER_ARCHIVE = pod.path("var/lib/flux-archive/lammps");
        pod.variables.MINICLUSTER_NAMESPACE = "hpc";
        mkdirSync(pod.path("var/lib/flux-archive/lammps"), { recursive: true });
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

    const restore = (variables: Record<string, string> = {}) =>
        pod.run("archive", ["restore"], { FLUX_STUB: PYTHON, ...variables });
    const keepWhole = () => writeFileSync(pod.path(kept), dump());
    const files = () => readdirSync(pod.path("var/lib/flux-archive/lammps")).sort();

    it("restores nothing at the first start, and makes its folder", async () => {
        pod.variables.MINICLUSTER_ARCHIVE = pod.path("var/lib/flux-archive/new");
        assert.deepEqual(await restore(), { code: 0, stdout: "", stderr: "" });
        assert.ok(!pod.has(link) && pod.has("var/lib/flux-archive/new"));
    });

    it("gives Flux the archive to restore", async () => {
        keepWhole();
        assert.deepEqual(await restore(), { code: 0, stdout: "", stderr: "" });
        assert.equal(readlinkSync(pod.path(link)), pod.path(kept));
    });

    it("replaces the archive with what Flux has dumped", async () => {
        pod.write(kept, "old");
        claimed();
        dumped("new");
        assert.equal((await pod.run("archive", ["save"])).stderr, "minicluster: the queue is saved\n");
        assert.equal(pod.read(kept), "new");
        assert.deepEqual(files(), ["content.tgz", "owner"]);
    });

    it("doesn't overwrite the archive after another pod has claimed it", async () => {
        pod.write(kept, "theirs");
        claimed();
        dumped("new");
        pod.write("var/lib/flux-archive/lammps/owner", "2.5\n");
        assert.match((await pod.run("archive", ["save"])).stderr, /^minicluster: the queue could not be saved in /);
        assert.equal(pod.read(kept), "theirs");
        assert.deepEqual(files(), ["content.tgz", "owner"]);
    });

    it("claims the archive when a pod starts, and removes files that other pods left half written", async () => {
        pod.write("var/lib/flux-archive/lammps/new.1.5.tgz", "half");
        claimed();
        await pod.run("archive", ["restore"]);
        assert.match(pod.read("run/flux/archive.owner"), /^(?!1\.5\n)[\d.]+\n$/);
        assert.equal(pod.read("var/lib/flux-archive/lammps/owner"), pod.read("run/flux/archive.owner"));
        assert.deepEqual(files(), ["cluster", "owner"]);
    });

    it("claims the archive in a bash older than 5, which has no EPOCHREALTIME", async () => {
        pod.write("old", "unset EPOCHREALTIME\n");
        assert.deepEqual(await restore({ BASH_ENV: pod.path("old") }), { code: 0, stdout: "", stderr: "" });
        assert.match(pod.read("run/flux/archive.owner"), /^\d+\.\d+\.\d+\n$/);
    });

    describe("with an archive to restore", () => {
        const cut = dump().subarray(0, 100);
        const theirs = () => pod.write("var/lib/flux-archive/lammps/cluster", "hpc/gromacs\n");
        const mark = () => pod.read("dev/termination-log");
        const now = /content\.(damaged|other)-\d{8}T\d{6}Z\.tgz/g;
        const log = (stderr: string) =>
            stderr.replaceAll(now, "content.$1-TIME.tgz").replaceAll(`${pod.path("var/lib/flux-archive/lammps")}/`, "");

        for (const [what, content, why] of [
            ["is cut off", cut, "is cut off"],
            ["is empty", Buffer.alloc(0), "is empty"],
            ["isn't a tar file", Buffer.from("queue\n".repeat(500)), "is not a tar file, or damaged in its middle"],
            [
                "has another format version",
                dump("queue", "restart\n"),
                "has an event in resource/eventlog that is of another version of the format: b'restart'",
            ],
        ] as const) {
            it(`sets it aside and starts without it if it ${what}`, async () => {
                writeFileSync(pod.path(kept), content);
                const { code, stderr } = await restore();
                assert.deepEqual(
                    [code, log(stderr)],
                    [
                        0,
                        `minicluster: content.tgz ${why}; it is set aside as content.damaged-TIME.tgz, and the queue is empty\n`,
                    ],
                );
                const [aside] = stderr.match(now)!;
                assert.deepEqual(files(), ["cluster", aside, "owner"]);
                assert.equal(pod.read(`var/lib/flux-archive/lammps/${aside}`), content.toString());
                assert.ok(!pod.has(link) && !pod.has("run/flux/archive.restored"));
            });

            it(`fails if it ${what} and onDamage is "fail"`, async () => {
                writeFileSync(pod.path(kept), content);
                const { code, stderr } = await restore({ MINICLUSTER_ARCHIVE_ON_DAMAGE: "fail" });
                const text = `content.tgz ${why}; move it away, or use archive.onDamage: "setAside"\n`;
                assert.deepEqual(
                    [code, log(stderr), log(mark())],
                    [1, `minicluster: ${text}`, `minicluster.error=${text}`],
                );
                assert.equal(pod.read(kept), content.toString());
                assert.ok(!pod.has(link));
            });
        }

        it("sets it aside beside others of the same moment", async () => {
            pod.write("bin/date", "#!/bin/sh\necho 20261123T000000Z\n", 0o755);
            for (const content of ["1", "2", "3"]) {
                pod.write(kept, content);
                await restore();
            }
            const names = ["", ".again", ".again.again"].map((more) => `content.damaged-20261123T000000Z${more}.tgz`);
            assert.deepEqual(
                files().filter((name) => name.startsWith("content")),
                names.sort(),
            );
            assert.deepEqual(names.map((name) => pod.read(`var/lib/flux-archive/lammps/${name}`)).sort(), [
                "1",
                "2",
                "3",
            ]);
        });

        it("sets it aside if it is another cluster's, and names that cluster", async () => {
            keepWhole();
            theirs();
            const { code, stderr } = await restore();
            const text =
                "content.tgz is of the cluster hpc/gromacs, and this is hpc/lammps; it is set aside as content.other-TIME.tgz, and the queue is empty";
            assert.deepEqual([code, log(stderr)], [0, `minicluster: ${text}\n`]);
            assert.equal(pod.read("var/lib/flux-archive/lammps/cluster"), "hpc/lammps\n");
            assert.ok(!pod.has(kept) && !pod.has(link));
        });

        it('fails if it is another cluster\'s and onDamage is "fail"', async () => {
            keepWhole();
            theirs();
            claimed();
            const { code, stderr } = await restore({ MINICLUSTER_ARCHIVE_ON_DAMAGE: "fail" });
            assert.equal(code, 1);
            const cure =
                'give this cluster an archive.folder of its own, or remove the file "cluster" beside it to take its queue over';
            assert.equal(
                log(stderr),
                `minicluster: content.tgz is of the cluster hpc/gromacs, and this is hpc/lammps; ${cure}, or use archive.onDamage: "setAside"\n`,
            );
            assert.equal(pod.read("var/lib/flux-archive/lammps/owner"), "1.5\n");
            assert.deepEqual(files(), ["cluster", "content.tgz", "owner"]);
        });

        it("restores it if it is the cluster's own, or names no cluster", async () => {
            for (const whose of ["hpc/lammps\n", ""]) {
                keepWhole();
                pod.write("var/lib/flux-archive/lammps/cluster", whose);
                assert.deepEqual(await restore(), { code: 0, stdout: "", stderr: "" });
                assert.equal(readlinkSync(pod.path(link)), pod.path(kept));
                rmSync(pod.path(link));
            }
        });

        it("leaves it to Flux if it can't be checked, and reports that", async () => {
            keepWhole();
            const { code, stderr } = await restore({ FLUX_STUB: "echo 'flux: no such command: python' >&2; exit 127" });
            assert.deepEqual(
                [code, log(stderr)],
                [0, "minicluster: content.tgz could not be checked (exit code 127): flux: no such command: python\n"],
            );
            assert.equal(readlinkSync(pod.path(link)), pod.path(kept));
        });

        it("fails and leaves it in its place if it can't be read", async () => {
            mkdirSync(pod.path(kept));
            const { code, stderr } = await restore();
            assert.deepEqual(
                [code, stderr],
                [
                    1,
                    `minicluster: user ${process.getuid!()} may not read ${pod.path(kept)}: Is a directory; look at the volume\n`,
                ],
            );
            assert.ok(pod.has(kept));
        });

        it("keeps it if the broker ends before Flux has restored it", async () => {
            keepWhole();
            await restore();
            const { stderr } = await pod.run("archive", ["save"]);
            assert.equal(
                log(stderr),
                "minicluster: the broker ended before it had restored content.tgz, which stays as it is; if Flux says above that it can't, move it away\n",
            );
            assert.deepEqual(files(), ["cluster", "content.tgz", "owner"]);
        });
    });

    describe("with a folder that can't be written", () => {
        const RIGHTS =
            "set podSecurityContext.fsGroup, or on hostPath and NFS, which ignore it, the rights of the folder on the node or " +
            "server; where SELinux refuses it, podSecurityContext.seLinuxOptions";
        const refusal = (reason: string, cure: string) =>
            `user ${process.getuid!()} may not write to ${pod.variables.MINICLUSTER_ARCHIVE}: ${reason}; ${cure}\n`;

        it("names the folder, the user and the cure", async () => {
            pod.write(
                "bin/mkdir",
                '#!/bin/sh\necho "mkdir: cannot create directory: Permission denied" >&2; exit 1\n',
                0o755,
            );
            const { code, stderr } = await restore();
            assert.deepEqual([code, stderr], [1, `minicluster: ${refusal("Permission denied", RIGHTS)}`]);
            assert.equal(pod.read("dev/termination-log"), `minicluster.error=${refusal("Permission denied", RIGHTS)}`);
        });

        it("names the system's reason if that is another one", async () => {
            pod.write("var/lib/flux-archive/file", "");
            pod.variables.MINICLUSTER_ARCHIVE = pod.path("var/lib/flux-archive/file");
            pod.write("bin/mkdir", "#!/bin/sh\n", 0o755);
            const { code, stderr } = await restore();
            assert.deepEqual([code, stderr], [1, `minicluster: ${refusal("Not a directory", "look at the volume")}`]);
        });
    });

    describe("keep", () => {
        /** Runs `archive.sh keep`, which looks for changes so many times and then ends. */
        const keep = (looks: number, flux: string, period = "60", meanwhile = "") => {
            if (pod.has("var/lib/flux-archive/lammps")) {
                pod.write(kept, "old");
            }
            pod.write("run/flux/ready", "");
            pod.write("pauses", "");
            pod.write("parts", "");
            // A pause has parts of 5 s, and the first one counts.
            const parts = Math.ceil(Number(period) / 5);
            const isFirst = `echo >>"$SANDBOX/parts"; [ $((($(wc -l <"$SANDBOX/parts") - 1) % ${parts})) = 0 ] || exit 0`;
            const look = `${isFirst}\necho "$1" >>"$SANDBOX/pauses"; ${meanwhile}\n[ "$(wc -l <"$SANDBOX/pauses")" -le ${looks} ]`;
            pod.write("bin/sleep", `#!/bin/sh\n${look}\n`, 0o755);
            return pod.run("archive", ["keep"], { FLUX_STUB: flux, MINICLUSTER_ARCHIVE_PERIOD: period });
        };
        const GIVES_UP = /another pod has claimed .*: this one saves its queue no more, and starts no more jobs\n$/;
        const stops = () => pod.calls.filter((call) => call.join(" ").includes("queue stop --all")).length;
        const dumps = () => pod.calls.filter(([, command]) => command === "dump").length;

        it("saves a changed queue in each period", async () => {
            await keep(
                3,
                'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) echo "at $(wc -l <"$SANDBOX/pauses")" >"$3";; esac',
            );
            assert.equal(pod.read(kept), "at 3\n");
            assert.equal(dumps(), 3);
            assert.equal(pod.read("pauses"), "5\n5\n5\n5\n");
        });

        it("doesn't dump an unchanged queue again", async () => {
            await keep(3, 'case $1 in kvs) echo 7;; dump) echo new >"$3";; esac');
            assert.equal(pod.read(kept), "new\n");
            assert.equal(dumps(), 1);
        });

        it("keeps the last archive if a dump fails, reports that and tries again", async () => {
            const { stderr } = await keep(2, 'case $1 in kvs) echo 7;; dump) echo half >"$3"; exit 1;; esac');
            assert.equal(pod.read(kept), "old");
            assert.match(stderr, /^(minicluster: the queue could not be saved in .*\n){2}$/);
        });

        it("marks that the last dump has failed, because such a cluster must not put itself to sleep", async () => {
            const dumpIf = (works: boolean) =>
                `case $1 in kvs) echo 7;; dump) ${works ? 'echo new >"$3"' : "exit 1"};; esac`;
            await keep(1, dumpIf(false));
            assert.ok(pod.has("run/flux/archive.failed"));
            await keep(1, dumpIf(true));
            assert.ok(!pod.has("run/flux/archive.failed"));
        });

        it("asks Flux again if it doesn't answer", async () => {
            await keep(
                3,
                'case $1 in kvs) [ "$(wc -l <"$SANDBOX/pauses")" = 3 ] && echo 7;; dump) echo new >"$3";; esac',
            );
            assert.equal(pod.read(kept), "new\n");
        });

        it("ends with the initial program at SIGHUP, and leaves no process that holds its output", async () => {
            const running = pod.start("stay");
            await pod.until(() => pod.has("run/flux/ready") && pod.has("run/flux/archive.owner"), "it runs");
            running.signal("SIGHUP");
            // `ended` waits until no process has the output open. Two background processes could keep it open.
            assert.equal((await running.ended).code, 0);
        });

        it("ends when another pod claims the archive, doesn't overwrite it, and starts no more jobs", async () => {
            const next =
                'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) echo new >"$3"; echo 1 >"$MINICLUSTER_ARCHIVE/owner";; esac';
            const { code, stderr } = await keep(9, next);
            assert.equal(dumps(), 1);
            assert.deepEqual([code, stops()], [0, 1]);
            assert.match(stderr, GIVES_UP);
            assert.equal(pod.read(kept), "old");
            assert.deepEqual(files(), ["cluster", "content.tgz", "owner"]);
        });

        it("notices within 5 s that another pod has claimed the archive", async () => {
            const claim = 'echo theirs >"$MINICLUSTER_ARCHIVE/owner"';
            await keep(9, "", "3600", claim);
            assert.equal(pod.read("pauses"), "5\n");
            assert.equal(stops(), 1);
        });

        it("stops the queues as soon as Flux answers", async () => {
            const claim = 'echo theirs >"$MINICLUSTER_ARCHIVE/owner"';
            await keep(9, 'case $1 in queue) [ "$(wc -l <"$SANDBOX/pauses")" = 3 ];; esac', "5", claim);
            assert.equal(stops(), 3);
        });

        it("doesn't start, and claims nothing, if another pod has claimed the archive since the start", async () => {
            pod.write("run/flux/archive.owner", "mine\n");
            pod.write("var/lib/flux-archive/lammps/owner", "theirs\n");
            const { code, stderr } = await keep(3, 'case $1 in dump) echo new >"$3";; esac');
            assert.deepEqual([code, dumps(), pod.read("var/lib/flux-archive/lammps/owner")], [0, 0, "theirs\n"]);
            assert.match(stderr, GIVES_UP);
            assert.equal(stops(), 1);
        });

        it("saves nothing while no broker has its quorum", async () => {
            await keep(
                3,
                'case $1 in kvs) wc -l <"$SANDBOX/pauses"; rm "$MINICLUSTER_RUN/ready";; dump) echo new >"$3";; esac',
            );
            assert.equal(dumps(), 1);
        });

        it("spends at most a tenth of the time on dumps", async () => {
            const dump = '/bin/sleep 1.1; echo dump >>"$SANDBOX/pauses"; echo new >"$3"';
            await keep(8, `case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) ${dump};; esac`, "1");
            assert.match(pod.read("pauses"), /^1\ndump\n5\n5\n(5\n5\n)?dump\n/);
        });

        it("continues after the volume was unavailable", async () => {
            const folder = '"$MINICLUSTER_ARCHIVE"';
            const away = `case $(wc -l <"$SANDBOX/pauses") in 2) mv ${folder} "$SANDBOX/away";; 3) mv "$SANDBOX/away" ${folder};; esac`;
            const { stderr } = await keep(
                3,
                'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) wc -l <"$SANDBOX/pauses" >"$3";; esac',
                "60",
                away,
            );
            assert.equal(pod.read(kept), "3\n");
            assert.match(stderr, /^minicluster: the queue could not be saved in /m);
        });

        it("continues while the file with the archive's owner is missing or empty", async () => {
            const owner = '"$MINICLUSTER_ARCHIVE/owner"';
            const away = `case $(wc -l <"$SANDBOX/pauses") in 1) rm ${owner};; 2) : >${owner};; esac`;
            const { stderr } = await keep(
                3,
                'case $1 in kvs) wc -l <"$SANDBOX/pauses";; dump) wc -l <"$SANDBOX/pauses" >"$3";; esac',
                "60",
                away,
            );
            assert.equal(pod.read(kept), "3\n");
            assert.equal(stderr, "");
        });

        it("tries to claim the archive until the volume is available", async () => {
            const folder = pod.path("var/lib/flux-archive/lammps");
            renameSync(folder, pod.path("away"));
            await keep(
                2,
                'case $1 in kvs) echo 7;; dump) echo new >"$3";; esac',
                "60",
                `[ -d "${folder}" ] || mv "$SANDBOX/away" "${folder}"`,
            );
            assert.equal(pod.read(kept), "new\n");
        });

        it("undrains ranks that were leaving at the time of the dump, but only after a restore", async () => {
            const drained =
                'case $2 in drain) printf "%s\\n" "1-2 the pod is leaving" "3 broken" "5 the pod is leaving, said ada" "4 the pod is leaving";; esac';
            await keep(0, drained);
            assert.equal(pod.calls.length, 0);
            keepWhole();
            await restore();
            await keep(0, drained);
            await keep(0, drained);
            const undrained = pod.calls.filter((call) => call.includes("undrain")).map((call) => call.at(-1));
            assert.deepEqual(undrained, ["1-2", "4"]);
        });

        it("doesn't start if period is 0, which saves the queue only at an orderly end", async () => {
            const only = new Sandbox({ command: [], archive: { hostPath: "/x", period: 0 } });
            const running = only.start("stay");
            await only.until(() => only.has("run/flux/ready"), "it runs");
            running.signal("SIGHUP");
            assert.equal((await running.ended).code, 0);
            assert.ok(!only.has("run/flux/archive.owner"));
            only.remove();
        });
    });

    it("keeps the archive if Flux has dumped nothing, and says so", async () => {
        pod.write(kept, "old");
        claimed();
        const said =
            "minicluster: the broker has made no dump at its end, so the archive has the queue of an earlier moment\n";
        assert.equal((await pod.run("archive", ["save"])).stderr, said);
        assert.equal(pod.read(kept), "old");
    });
});
