import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { PlainArgs } from "../../components/args";
import { useFolders } from "../unit/support/folder";
import { makeSpec } from "../unit/support/spec";
import { provideImage, withPods } from "./support/pods/cluster";
import { withLayer } from "./support/pods/layer";

/** Prints what a rank has of the code: each file with its mode and its hash, and where the command has started. */
const SHOW = "pwd; find . ! -type d -printf '%P %m %l\\n' | sort; sha256sum data.bin | cut -c 1-16; ./bin/run.sh";

describe("the code in pods", function () {
    this.timeout(180_000);
    const folder = useFolders();
    before(provideImage);

    function code() {
        const source = folder({
            "bin/run.sh": { script: "#!/bin/sh\necho it runs\n" },
            "a b/c.txt": "text",
            link: { link: "bin/run.sh" },
        });
        // In two parts.
        writeFileSync(join(source, "data.bin"), randomBytes(1_500_000));
        return { source };
    }

    const partNames = (args: Partial<PlainArgs>) => {
        const found = makeSpec({ ...args }).code?.found.code;
        return Array.from(
            { length: found?.parts ?? 0 },
            (_, index) => `mc-code-${found?.hash.slice(0, 10)}-00${index}`,
        );
    };

    for (const [who, args] of [
        ["root", {}],
        [
            "another user with a read-only root",
            {
                podSecurityContext: { runAsNonRoot: true, runAsUser: 1234, runAsGroup: 1234 },
                securityContext: { readOnlyRootFilesystem: true },
            },
        ],
    ] as [string, Partial<PlainArgs>][]) {
        it(`is the same on all ranks, and the command starts there, for ${who}`, async () => {
            const given = { size: 2, code: code(), command: ["bash", "-c", SHOW], ...args };
            await withPods(given, async (cluster) => {
                const [lead] = await cluster.start(0, 1);
                const { code: exit } = await lead.ended();
                const lines = lead.container.output.split("\n").filter((line) => !line.startsWith("minicluster"));
                assert.equal(exit, 0);
                const expected = [
                    "/code",
                    "a b/c.txt 644",
                    "bin/run.sh 755",
                    "data.bin 644",
                    "link 777 bin/run.sh",
                    "it runs",
                ];
                for (const line of expected) {
                    assert.equal(lines.filter((one) => one.trim() === line).length, 2, line);
                }
                const [hash] = lines.filter((line) => /^[0-9a-f]{16}$/.test(line));
                assert.equal(lines.filter((line) => line === hash).length, 2);
            });
        });
    }

    it("is there for the hooks after init, and again in a new pod of a rank, without what the earlier pod has written", async () => {
        const hooks = { pre: "cat 'a b/c.txt'; ls; touch written\n" };
        await withPods({ size: 2, code: code(), command: ["sleep", "1000"], hooks }, async (cluster) => {
            await cluster.up(2);
            assert.match(cluster.rank(1).container.output, /^text/m);
            await cluster.rank(1).delete();
            const [pod] = await cluster.start(1);
            await pod.ready();
            assert.match(pod.container.output, /^text/m);
            assert.doesNotMatch(pod.container.output, /written/);
        });
    });

    it("ends the pod if its parts are not those of the code", async () => {
        const given = { size: 1, code: code() };
        const [, second] = partNames({ ...given, command: ["true"] });
        const texts = { [second]: { part: Buffer.from("other") } };
        await withPods(
            { ...given, command: ["true"] },
            async (cluster) => {
                const [pod] = await cluster.start(0);
                const { code: exit, message } = await pod.ended();
                assert.equal(exit, 78);
                assert.match(message, /^minicluster\.error=the code's parts /);
            },
            { texts },
        );
    });

    it("ends the pod if the image lacks a program for it, and says which", async () => {
        await withLayer({ "usr/bin/tar": "hidden" }, (layer) =>
            withPods(
                { size: 1, code: code(), command: ["true"] },
                async (cluster) => {
                    const [pod] = await cluster.start(0);
                    const { code: exit, message } = await pod.ended();
                    assert.equal(exit, 78);
                    assert.match(message, /the image has no tar \(for code\) on PATH/);
                },
                { layers: [layer] },
            ),
        );
    });
});
