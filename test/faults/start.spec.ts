import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { root } from "../../scripts/local/paths";
import { findProgram } from "../../scripts/local/program";
import { run } from "../../scripts/local/run";
import { toolchain } from "../../scripts/local/toolchain";
import { importPublicImage } from "../e2e/support/image";
import { useNamespace } from "../e2e/support/namespace";
import { fencedIn } from "../e2e/support/pageBlocks";
import { sharedCluster } from "../e2e/support/sharedCluster";

const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** A stranger's way, with the packed package in the place of the published one. */
describe("page docs/start.md", function () {
    this.timeout(900_000);
    const namespace = useNamespace();
    let folder: string;
    let environment: Record<string, string>;
    let image: string;

    before(async () => {
        image = await importPublicImage((await sharedCluster()).cluster);
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
            cwd: root,
        });
        const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
        const packages: Readonly<Record<string, string>> = {
            "@pulumi/pulumi": `@pulumi/pulumi@${devDependencies["@pulumi/pulumi"]}`,
            // Pulumi has the plugin of this version.
            "@pulumi/kubernetes": `@pulumi/kubernetes@${devDependencies["@pulumi/kubernetes"]}`,
        };
        const cases = Object.entries(packages).map(([name, place]) => `${name}) word=${place} ;;`);
        const npm = `#!/bin/sh
for word; do
    shift
    case $word in ${cases.join(" ")} esac
    set -- "$@" "$word"
done
exec ${findProgram("npm")} "$@"
`;
        writeFileSync(join(folder, "npm"), npm);
        chmodSync(join(folder, "npm"), 0o755);
        const { PATH = "" } = (await toolchain()).env;
        // `pulumi login` writes into the user's folder.
        environment = {
            HOME: folder,
            PATH: [folder, PATH].join(delimiter),
            ARCHIVE: join(folder, filename),
            npm_config_cache: join(tmpdir(), "flux-minicluster-npm"),
            // A reader's Pulumi checks the types, with the TypeScript that it brings.
            PULUMI_NODEJS_TRANSPILE_ONLY: "false",
        };
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    it("leads from nothing to a finished command, another one, and nothing again", async () => {
        const page = namespace.page("docs/start.md", image, environment);
        const [made] = await page.run(1);
        assert.match(made ?? "", /added \d+ packages/);
        const [program] = fencedIn(page.text).filter(({ words }) => words === "ts");
        writeFileSync(join(folder, "hello/index.ts"), program?.text ?? "");
        const [first = "", second, end] = await page.run();
        assert.deepEqual(first.match(/^hello-\d$/gm)?.sort(), ["hello-0", "hello-1", "hello-2", "hello-3"], first);
        // Before it, Pulumi warns of the test's own backend.
        assert.doesNotMatch(first.replace(/^[^]*?Created stack/, ""), /warning|share node/i);
        assert.equal(second?.match(/^hello$/gm)?.length, 4, second);
        assert.match(end ?? "", /has been removed/);
        await namespace.assertNothingLeft();
    });
});
