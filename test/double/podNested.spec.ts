import assert from "node:assert/strict";

import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { isStandin } from "./support/root";

/*
 * Instances of Flux in a job. The stand-in has no nested instances, so most of this is for a real Flux.
 */

/** As the command line's `shell` and `exec` do. */
const LIKE_SHELL = ["sh", "-c", '. /run/flux/paths.env; exec flux "$@"', "sh"];

before(provideImage);

describe("cluster on a read-only root", function () {
    this.timeout(180_000);

    const args = { size: 3, cores: 2, securityContext: { readOnlyRootFilesystem: true } };

    it("gives jobs a folder for temporary files, unless they have another one", () =>
        withPods(args, async (pods) => {
            await pods.up(3);
            const made = ["bash", "-c", 'touch "$TMPDIR/a" && echo "$TMPDIR"'];
            assert.equal(await pods.flux("run", "-N3", ...made), Array(3).fill("/var/lib/flux/tmp").join("\n"));
            assert.equal(await pods.flux("run", "--env=TMPDIR=/run/flux", ...made), "/run/flux");
        }));

    it("runs a program on another rank where Flux would start ssh, with each byte of its input and output", () =>
        withPods(args, async (pods) => {
            await pods.up(3);
            const script = `printf 'in' | "$FLUX_SSH" $0 sh -c 'hostname; cat; printf "no line\\0\\377"' | od -An -c`;
            for (const host of ["mc-2", "me@mc-2.mc.ns.svc"]) {
                const { code, stderr, stdout } = await pods.rank(1).exec("bash", "-c", script, host).ended;
                assert.deepEqual([code, stderr, stdout.replaceAll(/\s+/g, "")], [0, "", "mc-2\\ninnoline\\0377"]);
            }
            const ownSsh = `mkdir /run/flux/own && printf '#!/bin/sh\necho own ssh "$@"' >/run/flux/own/ssh && chmod +x /run/flux/own/ssh`;
            const elsewhere = `${ownSsh} && PATH=/run/flux/own:$PATH "$FLUX_SSH" elsewhere-2 true`;
            const { stdout } = await pods.rank(1).exec("bash", "-c", elsewhere).ended;
            assert.equal(stdout, "own ssh elsewhere-2 true\n");
        }));

    if (!isStandin) {
        it("runs nested instances, which other ranks reach", () =>
            withPods(args, async (pods) => {
                await pods.up(3);
                const batch = [
                    "batch",
                    "--output=/run/flux/nested.out",
                    "-N1",
                    "-n2",
                    "--requires=rank:1",
                    "--wrap",
                    "sleep",
                    "inf",
                ];
                const alloc = ["alloc", "--bg", "-N1", "-n1", "--requires=rank:2", "sleep", "inf"];
                for (const words of [batch, alloc]) {
                    const job = await pods.flux(...words);
                    await pods.flux("uri", "--wait", job);
                    for (const rank of [0, 1, 2]) {
                        await reach(pods, rank, job);
                    }
                    const inner = ["submit", "--job-name=inner", "sleep", "inf"];
                    await pods.rank(0).exec(...LIKE_SHELL, "proxy", job, "flux", ...inner).ended;
                }
                const names = (await pods.flux("jobs", "-Rno", "{name}")).split("\n");
                assert.equal(names.filter((name) => name === "inner").length, 2, names.join(", "));
            }));
    }

    async function reach(pods: PodCluster, rank: number, job: string): Promise<void> {
        const flux = async (...words: string[]) => {
            const { code, stderr, stdout } = await pods.rank(rank).exec(...LIKE_SHELL, ...words).ended;
            assert.equal(code, 0, `flux ${words.join(" ")} on ${rank}: ${stderr}`);
            return stdout.trim();
        };
        assert.match(await flux("uri", job), /^ssh:\/\/mc-[12]\/var\/lib\/flux\/tmp\//);
        assert.equal(await flux("proxy", job, "flux", "getattr", "jobid"), job);
        assert.equal(await flux("proxy", job, "flux", "run", "echo", "in it"), "in it");
    }
});
