import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { readBatch } from "../../../../convert/operator/batch";
import { Reader } from "../../../../convert/reader";
import { Sandbox } from "../../support/sandbox";
import { assertPreview, convert } from "./support";

const path = "spec.containers[0]";

/** The lines of a raw batch, which the converted command runs after its own two. */
function linesOf(args: Record<string, any>): string {
    return args["command"][2].split("\n").slice(2).join("\n");
}

/** What the operator's start script writes for a text, without its last line break. */
function written(text: string): string {
    const { status, stderr, stdout } = spawnSync("bash", ["-c", `echo "#!/bin/bash\n${text}\n"`], {
        encoding: "utf8",
        // Without HOME, bash looks for it in the user database, which may take long.
        env: { HOME: "/", PATH: process.env["PATH"] },
    });
    assert.equal(status, 0, stderr);
    return stdout.replace("#!/bin/bash\n", "").replace(/\n\n$/, "");
}

describe("batch of the operator's resource", () => {
    it("loses the backslashes of the operator's shell, and keeps all other signs", () => {
        const command = "a \\$A \\`id\\` \\\\ \\\"b\\\" 'c' | d # e\nf {g,h} *.txt ~ \\n";
        const { args, warnings } = convert({}, { command, batch: true, batchRaw: true });
        assert.equal(linesOf(args), "a $A `id` \\ \"b\" 'c' | d # e\nf {g,h} *.txt ~ \\n");
        assert.equal(linesOf(args), written(command));
        assert.deepEqual(warnings, []);
        assertPreview(args);
    });

    it("has the lines that the operator's shell writes", function () {
        const characters = [..."\\$`\n'a{}()[]*?~#;&|<>= ", '\\"', "\\$", "\\\\", "A"];
        fc.assert(
            fc.property(fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 10 }), (letters) => {
                const command = letters.join("").trim();
                const reader = new Reader();
                const { command: words = [], file } = readBatch(reader, "", { batchRaw: true }, command);
                fc.pre(command !== "" && file === undefined && reader.warnings.length === 0);
                assert.equal(linesOf({ command: words }), written(command), command);
            }),
            { numRuns: 100, seed: 35 },
        );
    });

    it("expands variables without a backslash once, when the lead's pod starts", async () => {
        const command = "a $GREETING \\$LATER $(echo once) \"b\" $FLUX_OUTPUT_DIR\nc '$GREETING'";
        const raw = { command, batch: true, batchRaw: true, commands: { brokerPre: "export GREETING=changed" } };
        const { args } = convert({}, { ...raw, logs: "/tmp/my-logs" });
        assert.deepEqual([args["command"], args["launcher"]], [["bash", "/run/flux/operator-batch.sh"], true]);
        assertPreview(args);
        const pod = new Sandbox({ hooks: args["hooks"] });
        pod.write("etc/flux-minicluster/supervise.sh", "exit 0");
        try {
            assert.equal((await pod.run("start", ["x"], { GREETING: "hello" })).code, 0);
            assert.equal(
                readFileSync(join(pod.path("run/flux"), "operator-batch.sh"), "utf8"),
                'flux exec --quiet mkdir -p "$FLUX_OUTPUT_DIR"\na hello $LATER once "b" /tmp/my-logs\nc \'hello\'\n',
            );
        } finally {
            pod.remove();
        }
    });

    const quote =
        "has \" without a backslash, or a last backslash, which the operator's shell reads before the batch does: it drops it. Here the batch has its quotes; check its lines.";
    const warned: [what: string, container: object, warnings: string[]][] = [
        ["double quotes, which the operator drops", { command: 'echo "a b"' }, [`.command: ${quote}`]],
        [
            "a line that goes on in the next one",
            { command: "a \\\n  b\nc" },
            [
                ".command: has a line that ends in a backslash; the operator makes a job of each line, also of a part of one. Here it goes on in the next line; write it in one line.",
            ],
        ],
        [
            "variables of the operator's start script",
            { command: "a $hosts $FLUX_OUTPUT_DIR" },
            [
                ".command: uses $hosts, which only the operator's start script sets; remove it: Flux has the resources of all ranks, by the arguments or from the nodes.",
            ],
        ],
        [
            "a directory that is code for the operator's shell",
            { command: "a", logs: "/my data" },
            [
                '.logs: is "/my data", which the operator\'s shell reads as code. Here it is the name of the directory; give a name without such signs.',
            ],
        ],
    ];
    for (const [what, container, warnings] of warned) {
        it(`gets a warning about ${what}`, () => {
            const { args, warnings: found } = convert({}, { batch: true, ...container });
            assert.deepEqual(
                found,
                warnings.map((warning) => path + warning),
            );
            assertPreview(args);
        });
    }

    it("has the directory as the operator's shell reads it", () => {
        const folders = ["~/out", "$HOME/${USER}/out", "/out"];
        const found = folders.map((logs) => convert({}, { command: "a", batch: true, logs }));
        assert.deepEqual(
            found.map(({ args, warnings }) => [args["command"][2].split("\n")[0], warnings]),
            folders.map((folder) => [`export FLUX_OUTPUT_DIR=${folder}`, []]),
        );
    });
});

describe("batch whose lines or jobs fail", () => {
    let folder = "";

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "batch-"))));
    afterEach(() => rmSync(folder, { recursive: true }));

    /** Runs a converted batch with a flux that refuses `--wrong`, and whose jobs end with a code. */
    const run = (command: string, code = 0) => {
        const script = `#!/bin/bash\necho "$*" >>${folder}/log\n[[ "$*" != *--wrong* ]] || exit 2\n[[ $1 != job ]] || exit ${code}\n`;
        writeFileSync(join(folder, "flux"), script, { mode: 0o755 });
        const { args } = convert({}, { command, batch: true });
        const [program, ...words] = args["command"] as string[];
        const { status } = spawnSync(program, words, { env: { HOME: "/", PATH: `${folder}:${process.env["PATH"]}` } });
        const submitted = readFileSync(join(folder, "log"), "utf8").split("\n").filter(Boolean);
        return { status, words: submitted.map((line) => line.split(" ").at(-1)) };
    };

    it("submits the lines after one that fails, as the operator does, and then fails", () =>
        assert.deepEqual(run("--wrong a # b\nc # d\nfalse; e"), {
            status: 1,
            words: ["/tmp/fluxout", "a", "c", "false", "--all"],
        }));

    it("ends with the exit code of the jobs", () => {
        assert.equal(run("a\nb").status, 0);
        assert.equal(run("a\n--wrong b", 7).status, 7);
    });
});
