import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { PlainArgs } from "../../components/args";
import { RESULTS_FETCHED, RESULTS_OFFER } from "../../provider/contract/paths";
import { toldIn } from "../../provider/results/list";
import { provideImage, withPods } from "./support/pods/cluster";
import type { Pod } from "./support/pods/pod";
import { fill } from "./support/pods/disks";

/** Files in the folder in which the command starts, with names of all kinds. */
const MAKE = [
    "mkdir -p /tmp/w/out/sub",
    "cd /tmp/w",
    "echo hello >out/a.txt",
    "printf x >'out/sub/b c'",
    "touch out/.hidden out/-rf",
    "touch \"$(printf 'out/new\\nline')\" \"$(printf 'out/\\303\\274\\377\\\\')\" 'out/$(touch pwned)'",
    "echo 1 >p.png",
    "echo 2 >'p[1].png'",
].join("; ");

const volume = (hostPath: string) => ({ volumes: [{ name: "data", mountPath: "/data", hostPath }] });

describe("the results in pods", function () {
    this.timeout(180_000);
    let folder: string;
    before(provideImage);
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "results-"));
        chmodSync(folder, 0o777);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const bash = (script: string) => ["bash", "-c", script];
    const given = (args: Partial<PlainArgs>) => ({ size: 1, workingDir: "/tmp", ...args });
    const told = (pod: Pod) => toldIn(pod.container.output)!;
    const waits = async (pod: Pod) => {
        await pod.container.says(/^minicluster: results waits .*\n/m);
        return told(pod);
    };

    for (const [who, rights] of [
        ["root", {}],
        [
            "another user with a read-only root",
            {
                podSecurityContext: { runAsNonRoot: true, runAsUser: 1234, runAsGroup: 1234 },
                securityContext: { readOnlyRootFilesystem: true },
                volumes: [{ name: "temporary", mountPath: "/tmp", emptyDir: {} }],
            },
        ],
    ] as [string, Partial<PlainArgs>][]) {
        it(`are offered until a client has them, whatever their names are, for ${who}`, async () => {
            const results = { paths: ["w/out/", "w/*.png", "w/p[1].png"] };
            await withPods(given({ command: bash(MAKE), results, ...rights }), async (cluster) => {
                const begun = Math.floor(Date.now() / 1000);
                const [pod] = await cluster.start(0);
                const { bytes, count, exitCode, files, reasons, state, until } = await waits(pod);
                assert.deepEqual([state, exitCode, count, bytes, reasons], ["waits", 0, 9, 11, []]);
                const [since, last] = [until - 600, Math.ceil(Date.now() / 1000)];
                assert.ok(begun <= since && since <= last, `${begun} ${since} ${last}`);
                assert.deepEqual(
                    files.map(({ path }) => path.replace("w/", "")),
                    [
                        "out/new\\x0aline",
                        "out/\\xc3\\xbc\\xff\\",
                        "out/$(touch pwned)",
                        "out/-rf",
                        "out/.hidden",
                        "out/a.txt",
                        "out/sub/b c",
                        "p.png",
                        "p[1].png",
                    ],
                );
                const script = `cd ${RESULTS_OFFER}/files/w && cat out/a.txt p.png 'p[1].png' && sha256sum <../../list`;
                const { stdout } = await pod.exec("bash", "-c", script).ended;
                assert.equal(stdout, `hello\n1\n2\n${told(pod).sha256}  -\n`);
                await pod.exec(...RESULTS_FETCHED).ended;
                const { code, message } = await pod.ended();
                assert.equal(code, 0);
                assert.match(message, /^minicluster\.results=fetched$/m);
            });
        });
    }

    it("go into a volume, where they replace an older folder", async () => {
        const results = { paths: ["out"], volume: "data", path: "runs/last" };
        for (const text of ["first", "second"]) {
            const command = bash(`mkdir out; echo ${text} >out/${text}`);
            await withPods(given({ command, results, ...volume(folder) }), async (cluster) => {
                const [pod] = await cluster.start(0);
                const { code, message } = await pod.ended();
                assert.equal(code, 0);
                assert.match(message, /^minicluster\.results=kept$/m);
            });
            assert.deepEqual(readdirSync(join(folder, "runs"), { recursive: true, encoding: "utf8" }).sort(), [
                "last",
                "last/out",
                `last/out/${text}`,
            ]);
            assert.equal(readFileSync(join(folder, "runs/last/out", text), "utf8"), `${text}\n`);
        }
    });

    it("are lost with a reason on a full volume, and the older folder and the exit code stay", async () => {
        const older = "mkdir -p /data/mc && echo old >/data/mc/old";
        const command = bash(`${older}; ${fill("/data")}; head -c 100000 /dev/zero >big`);
        const volumes = [{ name: "data", mountPath: "/data", emptyDir: {} }];
        const results = { paths: ["big"], volume: "data" };
        await withPods(
            given({ command, results, volumes, hooks: { post: "find /data | sort >&2; cat /data/mc/old >&2" } }),
            async (cluster) => {
                const [pod] = await cluster.start(0);
                const { code, message } = await pod.ended();
                assert.equal(code, 0);
                assert.match(message, /^minicluster\.results=lost$/m);
                assert.match(told(pod).reasons.join(), /^the pod could not copy them to \/data\/mc: No space left/);
                assert.match(pod.container.output, /^old$/m);
                assert.doesNotMatch(pod.container.output, /\/data\/\.mc\.minicluster$/m);
            },
            { disks: { "/data": "4m" } },
        );
    });

    it("leave out what can't be read and what matches nothing, and say so", async () => {
        const command = bash("mkdir -p w/closed; touch w/a w/secret; mkfifo w/pipe; chmod 0 w/secret w/closed");
        const rights = { podSecurityContext: { runAsUser: 1234, runAsGroup: 1234 } };
        const volumes = [{ name: "temporary", mountPath: "/tmp", emptyDir: {} }];
        const results = { paths: ["w/", "*.h5"], keepFor: 1 };
        await withPods(given({ command, results, volumes, ...rights }), async (cluster) => {
            const [pod] = await cluster.start(0);
            const { code, message } = await pod.ended();
            assert.equal(code, 0);
            assert.match(message, /^minicluster\.results=unfetched$/m);
            const { files, reasons } = told(pod);
            assert.deepEqual(
                files.map(({ path }) => path),
                ["w/a"],
            );
            assert.deepEqual(reasons, [
                "w/closed can't be read",
                "w/pipe is no file",
                "nothing matches *.h5",
                "w/secret can't be read",
            ]);
        });
    });

    it("end the wait at once when the pod is told to end", async () => {
        await withPods(given({ command: bash("echo 1 >a"), results: { paths: ["a"] } }), async (cluster) => {
            const [pod] = await cluster.start(0);
            await waits(pod);
            const { code, killed, message } = await pod.delete();
            assert.deepEqual([code, killed], [0, false]);
            assert.match(message, /^minicluster\.results=unfetched$/m);
            assert.match(pod.container.output, /nobody has fetched the results: the pod was told to end$/m);
        });
    });

    it("of a command that fails are kept on request only, with its exit code", async () => {
        const command = bash("echo 1 >a; exit 3");
        for (const onFailure of [true, false]) {
            const results = { paths: ["a"], volume: "data", path: String(onFailure), onFailure };
            await withPods(given({ command, results, ...volume(folder) }), async (cluster) => {
                const [pod] = await cluster.start(0);
                assert.equal((await pod.ended()).code, 3);
                assert.equal(existsSync(join(folder, String(onFailure), "a")), onFailure);
                assert.equal(toldIn(pod.container.output)?.exitCode, onFailure ? 3 : undefined);
            });
        }
    });

    describe("of all ranks", () => {
        const command = bash(
            'mkdir out; echo "$FLUX_TASK_RANK" >out/rank; [ "$FLUX_TASK_RANK" = 0 ] || echo more >more',
        );
        const all: NonNullable<PlainArgs["results"]> = { paths: ["out", "more", "none"], ranks: "all" };

        it("are offered by each of them, and listed by the lead", async () => {
            await withPods(given({ size: 2, command, results: all }), async (cluster) => {
                const [lead, other] = await cluster.start(0, 1);
                const { bytes, count, files, reasons, sha256 } = await waits(lead);
                assert.deepEqual([count, bytes, reasons], [3, 9, ["nothing matches none"]]);
                assert.deepEqual(files.map(({ path, rank }) => `${rank} ${path}`).sort(), [
                    "0 rank-0/out/rank",
                    "1 rank-1/more",
                    "1 rank-1/out/rank",
                ]);
                const { stdout: sum } = await lead.exec("sha256sum", `${RESULTS_OFFER}/list`).ended;
                assert.equal(sum.slice(0, 64), sha256);
                const { stdout } = await other.exec("cat", `${RESULTS_OFFER}/files/out/rank`).ended;
                assert.equal(stdout, "1\n");
                await lead.exec(...RESULTS_FETCHED).ended;
                assert.equal((await lead.ended()).code, 0);
            });
        });

        it("stay whole in a follower that restarts its broker while the lead waits", async () => {
            // With a configuration of the user, the lead's broker ends in order, and those of the followers with it.
            const broker = { extraConfig: "# none\n" };
            await withPods(given({ size: 2, command, results: all, broker }), async (cluster) => {
                const [lead, other] = await cluster.start(0, 1);
                await waits(lead);
                const bash = (script: string) => other.exec("bash", "-c", script);
                const go = "until [[ -e /tmp/go ]]; do sleep 0.1; done";
                const reader = bash(
                    `exec 3<${RESULTS_OFFER}/files/out/rank; ${go}; cat <&3; cat ${RESULTS_OFFER}/list`,
                );
                await other.container.says(/^minicluster: broker ended with 0, restarting it in 3000 ms\n/m);
                const runs = "grep -qzx MINICLUSTER_BROKER=/run/flux/broker /proc/[0-9]*/environ";
                await bash(`until ${runs}; do sleep 0.1; done 2>/dev/null; touch /tmp/go`).ended;
                assert.match((await reader.ended).stdout, /^1\n[0-9a-f]{64} 2 1 out\/rank\n[0-9a-f]{64} 5 1 more\n$/);
                await lead.exec(...RESULTS_FETCHED).ended;
                const { code, message } = await lead.ended();
                assert.equal(code, 0);
                assert.match(message, /^minicluster\.results=fetched$/m);
            });
        });

        it("go into a volume, each rank's into a folder of its own", async () => {
            const results = { ...all, volume: "data" };
            await withPods(given({ size: 2, command, results, ...volume(folder) }), async (cluster) => {
                const [lead] = await cluster.start(0, 1);
                const { code, message } = await lead.ended();
                assert.equal(code, 0);
                assert.match(message, /^minicluster\.results=kept$/m);
            });
            const found = readdirSync(folder, { recursive: true, withFileTypes: true });
            assert.deepEqual(
                found
                    .filter((entry) => entry.isFile())
                    .map(({ name, parentPath }) => join(parentPath, name).slice(folder.length))
                    .sort(),
                ["/mc/rank-0/out/rank", "/mc/rank-1/more", "/mc/rank-1/out/rank"],
            );
        });
    });

    it("are named in the log up to 1,000 files, and counted beyond that", async () => {
        for (const count of [1000, 1001]) {
            const command = bash(`mkdir out; for i in {1..${count}}; do echo $i >out/$i; done`);
            await withPods(given({ command, results: { paths: ["out"], keepFor: 1 } }), async (cluster) => {
                const [pod] = await cluster.start(0);
                await pod.ended();
                assert.equal(told(pod).count, count);
                assert.equal(told(pod).files.length, count === 1000 ? 1000 : 0);
            });
        }
    });
});
