import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FACTS_REQUEST, parseFacts } from "../../../../cli/doctor/rankFacts";
import { useApi } from "../../support/fakeApi";
import {
    assertShown,
    CLUSTER,
    examined,
    factsOf,
    findings,
    putCluster,
    putNode,
    putPod,
    say,
    type Said,
} from "./support";

describe("ranks", () => {
    const api = useApi();

    /** What doctor says of the ranks, at a level. */
    async function told(level: "fail" | "ok" | "unchecked" | "warn", said: Partial<Said> = {}): Promise<string[]> {
        say(api, said);
        const all = findings(await examined(api, CLUSTER), level);
        return all.filter((text) => text.startsWith("ranks: ")).map((text) => text.replace("ranks: ", ""));
    }

    const answers = (...lines: readonly string[]): Partial<Said> => ({ facts: [0, lines.join("\n")] });

    it("are well if all answer in the same time, with the same clock and the same versions", async () => {
        putCluster(api);
        assert.deepEqual(await told("ok"), ["2 ranks answer, and none lags"]);
    });

    it("are named if they don't answer, with what only their node has", async () => {
        putCluster(api);
        for (const [index, kernelVersion] of ["6.1.0", "5.4.0"].entries()) {
            putNode(api, `node-${index}`, { status: { nodeInfo: { kernelVersion, kubeletVersion: "v1.36.4" } } });
        }
        assert.deepEqual(await told("fail", { facts: [137, factsOf(0)] }), [
            "rank 1 on node node-1 has joined, and does not answer (no answer within 15 s); it has kernel 5.4.0 (the " +
                "others have 6.1.0) | minicluster logs 1; kubectl describe node node-1; minicluster drain 1",
        ]);
    });

    it("are named if they lag, unless they are quick enough", async () => {
        putCluster(api);
        const [slow] = await told("warn", answers(factsOf(0), factsOf(1, { began: 1000, took: 0.6 })));
        assert.match(slow ?? "", /^rank 1 on node node-1 needs 0\.6 s for what the other ranks do in 0\.1 s \|/);
        assert.deepEqual(await told("warn", answers(factsOf(0), factsOf(1, { took: 0.45 }))), []);
        assert.deepEqual(await told("warn", answers(factsOf(0, { took: 0.3 }), factsOf(1, { took: 0.6 }))), []);
    });

    it("are shown in docs/hang.md", async () => {
        putCluster(api);
        for (const [index, kernelVersion] of ["6.1.0", "5.4.0"].entries()) {
            putNode(api, `node-${index}`, { status: { nodeInfo: { kernelVersion } } });
        }
        const kernel = (line: string) => line.replace("6.1.0", "5.4.0");
        say(api, answers(factsOf(0), kernel(factsOf(1, { took: 2.4 }))));
        assertShown(await examined(api, CLUSTER), "warn", 0);
    });

    it("are named if their clock is outside of the time in which they were asked", async () => {
        putCluster(api);
        const [ahead] = await told("warn", answers(factsOf(0), factsOf(1, { began: 1030.8 })));
        assert.match(ahead ?? "", /^rank 1 on node node-1 has a clock that is 30 s ahead of the lead's \| .*NTP/);
        const [behind] = await told("warn", answers(factsOf(0), factsOf(1, { began: 997.1 })));
        assert.match(behind ?? "", /^rank 1 on node node-1 has a clock that is 3\.0 s behind the lead's/);
        assert.deepEqual(await told("warn", answers(factsOf(0), factsOf(1, { began: 999.5 }))), []);
    });

    it("are told apart by their image, Flux and /dev/shm", async () => {
        putCluster(api);
        for (const rank of [0, 1]) {
            const at = new Date().toISOString();
            const own = { name: "flux", ready: true, started: true, state: { running: { startedAt: at } } };
            putPod(api, rank, { containerStatuses: [{ ...own, imageID: `sha256:${rank}` }] });
        }
        const unlike = await told("warn", answers(factsOf(0), factsOf(1, { flux: "0.72.0", shm: "1024 KiB" })));
        assert.deepEqual(
            unlike.map((text) => text.replace(/ \|.*/, "")),
            [
                "the ranks have different values of image: sha256:0 on node-0; sha256:1 on node-1",
                "the ranks have different values of Flux: 0.88.0 on node-0; 0.72.0 on node-1",
                "the ranks have different values of /dev/shm: 65536 KiB on node-0; 1024 KiB on node-1",
            ],
        );
    });

    it("are not checked if Flux answers nothing", async () => {
        putCluster(api);
        assert.deepEqual(await told("unchecked", { facts: [1, "flux-exec: lost"] }), ["flux exec: flux-exec: lost"]);
    });

    for (const shell of ["dash", "bash"]) {
        it(`say what they have in ${shell}`, () => {
            const folder = mkdtempSync(join(tmpdir(), "facts-"));
            const version = "commands:    \t\t0.88.1\nlibflux-core:\t\t0.88.0\n";
            writeFileSync(join(folder, "flux"), `#!/bin/sh\nprintf '${version}'\n`);
            chmodSync(join(folder, "flux"), 0o755);
            const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
            const before = Date.now() / 1000;
            const { stderr, stdout } = spawnSync(shell, FACTS_REQUEST.slice(-2), { env, encoding: "utf8" });
            rmSync(folder, { recursive: true });
            assert.equal(stderr, "");
            const [facts, ...others] = parseFacts([`3: ${stdout.trim()}`, "flux-exec: Error: rank 4: lost"]);
            assert.deepEqual(others, []);
            assert.equal(facts?.rank, 3);
            assert(before <= facts.began && facts.began < facts.ended && facts.ended <= Date.now() / 1000);
            assert.equal(facts.known["Flux"], "0.88.0");
            assert.match(facts.known["/dev/shm"] ?? "", /^\d+ KiB$/);
            assert.match(facts.known["kernel"] ?? "", /^\d+\./);
            assert.match(facts.known["number of CPUs"] ?? "", /^\d+$/);
        });
    }
});
