import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../../scripts/local/paths";

interface Component {
    readonly name: string;
    readonly group?: string;
    readonly version?: string;
    readonly purl: string;
    readonly licenses?: readonly { license?: { id: string } }[];
    readonly properties: readonly { name: string; value: string }[];
}

interface Bill {
    readonly metadata: { component: Component };
    readonly components: readonly Component[];
    readonly dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Bill;

/** The value of a property of a component, by its package. */
function values({ components }: Bill, property: string): Record<string, string> {
    const found = components.flatMap(({ group, name, properties }) =>
        properties
            .filter((one) => one.name === `flux-minicluster:${property}`)
            .map(({ value }): [string, string] => [group === undefined ? name : `${group}/${name}`, value]),
    );
    return Object.fromEntries(found);
}

/** Needs dist/. */
describe("the bill of materials", function () {
    this.timeout(60_000);
    const bill = read(join(root, "dist/sbom.cdx.json"));
    const { dependencies, peerDependencies, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

    it("names the package, and all others as what it depends on", () => {
        const ref = `pkg:npm/flux-minicluster@${version}`;
        assert.equal(bill.metadata.component.purl, ref);
        const { dependsOn = [] } = bill.dependencies.find((one) => one.ref === ref) ?? {};
        assert.deepEqual([...dependsOn].sort(), bill.components.map(({ purl }) => purl).sort());
    });

    it("names the packages that npm installs, with their ranges", () => {
        assert.deepEqual(values(bill, "installed by npm"), { ...dependencies, ...peerDependencies });
    });

    it("names the packages in each bundle, with versions and licences", () => {
        const contained = values(bill, "contained in");
        assert.equal(contained["commander"], "dist/cli/parser/commander.js");
        assert.equal(contained["@grpc/grpc-js"], "dist/plugin/server/grpcNode.js");
        assert.equal(contained["@kubernetes/client-node"], "dist/provider/kubernetes/clientNode.js");
        assert.equal(contained["@observablehq/plot"], "dist/cli/report/page/plotNode.js");
        assert.equal(
            contained["tar-stream"],
            "dist/provider/copy/tarStream.js, dist/provider/kubernetes/clientNode.js",
        );
        const bundled = bill.components.filter(({ properties }) => properties[0].name.endsWith("contained in"));
        assert(bundled.length > 60, `${bundled.length} packages`);
        for (const { licenses, purl } of bundled) {
            assert.match(purl, /@[0-9][^@]*$/);
            assert.equal(licenses?.length, 1, purl);
        }
    });

    it("names in the plugin's archive what that contains, and nothing that npm installs", () => {
        const folder = mkdtempSync(join(tmpdir(), "plugin-"));
        try {
            execFileSync(process.execPath, ["scripts/plugin.mjs", folder], { cwd: root, stdio: "pipe" });
            const plugin = read(join(folder, "pulumi-resource-flux-minicluster/sbom.cdx.json"));
            assert.deepEqual(values(plugin, "installed by npm"), {});
            const contained = values(plugin, "contained in");
            for (const name of ["@pulumi/kubernetes", "@pulumi/pulumi", ...Object.keys(dependencies)]) {
                assert.match(contained[name], /\bpackages\.js\b/, name);
            }
            const both = values(bill, "contained in");
            assert.deepEqual(
                Object.keys(both).filter((name) => contained[name] === undefined),
                [],
            );
        } finally {
            rmSync(folder, { recursive: true, force: true });
        }
    });
});
