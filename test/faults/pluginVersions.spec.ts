import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { useLanguage } from "../e2e/support/languages";
import { LiveCluster } from "../e2e/support/liveCluster";
import { useNamespace } from "../e2e/support/namespace";

/** A program with these clusters, whose commands run, by a version of the package. */
const PROGRAMS = {
    yaml: (version: string, names: readonly string[]) => ({
        "Pulumi.yaml": JSON.stringify({
            name: "versions",
            runtime: "yaml",
            config: { image: { type: "string" } },
            resources: Object.fromEntries(
                names.map((name) => [
                    name,
                    {
                        type: "flux-minicluster:MiniCluster",
                        properties: { image: "${image}", command: ["sleep", "600"], waitFor: "ready" },
                        options: { version },
                    },
                ]),
            ),
        }),
    }),
    python: (version: string, names: readonly string[]) => ({
        "Pulumi.yaml": JSON.stringify({ name: "versions", runtime: "python" }),
        "__main__.py": `import pulumi
import pulumi_flux_minicluster as flux

for name in ${JSON.stringify(names)}:
    flux.MiniCluster(
        name,
        image=pulumi.Config().require("image"),
        command=["sleep", "600"],
        wait_for="ready",
        opts=pulumi.ResourceOptions(version="${version}"),
    )
`,
    }),
} as const;

for (const language of ["yaml", "python"] as const) {
    describe(`upgrade of the package in ${language}`, function () {
        this.timeout(600_000);
        const programs = mkdtempSync(join(tmpdir(), "flux-minicluster-versions-"));
        const dir = join(programs, "versions");
        const write = (version: string, names: readonly string[]) => {
            mkdirSync(dir, { recursive: true });
            Object.entries(PROGRAMS[language](version, names)).forEach(([file, text]) =>
                writeFileSync(join(dir, file), text),
            );
        };
        write("0.1.0", ["kept", "dropped"]);
        const namespace = useNamespace();
        const program = useLanguage(language, programs);
        after(() => rmSync(programs, { recursive: true, force: true }));

        it("refuses to end the command of a cluster that leaves the program with the old version", async () => {
            const stack = namespace.stack("versions", program("versions"), { image: namespace.image });
            await stack.up();
            const dropped = new LiveCluster(namespace, "dropped");
            const before = await dropped.uid();
            write("0.2.0", ["kept"]);
            const { text } = await stack.fails("up");
            assert.match(text, /dropped is not deleted, because its command has been running/);
            assert.equal(await dropped.uid(), before);
            await stack.destroy();
            await namespace.assertNothingLeft();
        });
    });
}
