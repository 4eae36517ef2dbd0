import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const versions = JSON.parse(
    execFileSync("npm", ["pkg", "get", "devDependencies"], { cwd: root, encoding: "utf8" }),
) as Record<string, string>;

/** A program whose only dependencies are the packed package and its peers. */
const program = `
const minicluster = require("flux-minicluster");
const { verbs } = require("flux-minicluster/provider");
verbs("CurveKey").create({}).then(({ outs }) => {
    const inside = require("module").createRequire(require.resolve("flux-minicluster"));
    const { readNamespacedJob } = inside("./provider/kubernetes/clientNode.js").BatchV1Api.prototype;
    console.log(typeof minicluster.MiniCluster, outs.publicKey.length, typeof verbs("JobStatus").create, typeof readNamespacedJob);
});`;

/** Needs dist/ and a registry. */
describe("packed package", function () {
    // An installation with empty caches over a slow network takes minutes.
    this.timeout(900_000);
    let folder: string;
    let tarball: string;

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "installed-"));
        const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
            cwd: root,
            encoding: "utf8",
            stdio: "pipe",
        });
        tarball = join(folder, (JSON.parse(packed) as [{ filename: string }])[0].filename);
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    const installers: [string, string[]][] = [
        ["npm", ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]],
        [
            "pnpm, which gives a package only its own dependencies",
            ["npx", "--yes", "pnpm@12.21.0", "install", "--ignore-scripts", "--silent"],
        ],
    ];
    for (const [what, [command, ...words]] of installers) {
        it(`works when installed by ${what}`, () => {
            const place = mkdtempSync(join(folder, "program-"));
            const dependencies = {
                "flux-minicluster": `file:${tarball}`,
                "@pulumi/pulumi": versions["@pulumi/pulumi"],
                "@pulumi/kubernetes": versions["@pulumi/kubernetes"],
            };
            writeFileSync(
                join(place, "package.json"),
                JSON.stringify({ name: "program", private: true, dependencies }),
            );
            writeFileSync(join(place, "program.cjs"), program);
            execFileSync(command, words, { cwd: place, stdio: ["ignore", "inherit", "inherit"] });
            const output = execFileSync(process.execPath, ["program.cjs"], { cwd: place, encoding: "utf8" });
            assert.equal(output.trim(), "function 40 function function");
        });
    }
});
