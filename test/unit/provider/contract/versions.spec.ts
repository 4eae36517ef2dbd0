import assert from "node:assert/strict";

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { CurveKey, FluxJob, MiniCluster } from "../../../../components";
import { root } from "../../../../scripts/local/paths";
import { verbs } from "../../../../provider";
import { MINIMUM, nodeProblem } from "../../../../provider/contract/versions";
import { otherKubernetes } from "../../../../scripts/local/kubernetesVersions";
import { run } from "../../../../scripts/local/run";
import { mockPulumi } from "../../support/pulumi";

const problemOf = (version: string, name = "flux-minicluster"): string =>
    `${name} needs Node 22.19 or later; this program runs with Node ${version}. ` +
    "Install a later Node, and put its folder first in PATH: the first `node` there runs the program.";

describe("the oldest versions that work", () => {
    it("are those of package.json, of the page of requirements and of the local cluster", () => {
        const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
        assert.equal(engines.node, `>=${MINIMUM.node}`);
        const page = readFileSync(join(root, "docs/requirements.md"), "utf8");
        for (const [name, version] of [
            ["Kubernetes", MINIMUM.kubernetes],
            ["flux-core in the image", MINIMUM.flux],
            ["Node", MINIMUM.node],
        ]) {
            assert(page.includes(`| ${name} | ${version} or later |`), `${name} ${version}`);
        }
        assert.equal(otherKubernetes.at(-1), MINIMUM.kubernetes);
    });
});

describe("nodeProblem", () => {
    it("names a version that is too old, the oldest that works, and the cure", () => {
        for (const version of ["20.19.5", "22.18.9", "21.99.0"]) {
            assert.equal(nodeProblem("it", version), problemOf(version, "it"));
        }
    });

    it("accepts later versions", () => {
        for (const version of ["22.19.0", "22.20.1", "23.0.0", "24.1.0", process.versions.node]) {
            assert.equal(nodeProblem("it", version), undefined);
        }
    });
});

describe("an older Node", () => {
    const own = Object.getOwnPropertyDescriptor(process.versions, "node")!;

    beforeEach(() => Object.defineProperty(process.versions, "node", { ...own, value: "20.20.2" }));
    afterEach(() => Object.defineProperty(process.versions, "node", own));

    const refused: Readonly<Record<string, () => unknown>> = {
        "a MiniCluster": () => new MiniCluster("flow", { image: "registry.example/flux:1" }),
        "a FluxJob": () => new FluxJob("step", { cluster: { name: "flow", namespace: "hpc" }, command: ["hostname"] }),
        "a CurveKey": () => new CurveKey("key"),
        "the verbs of a resource in a state": () => verbs("JobStatus"),
    };
    for (const [what, action] of Object.entries(refused)) {
        it(`is refused by ${what}, before anything is registered`, async () => {
            const registered = await mockPulumi();
            assert.throws(action, { message: problemOf("20.20.2") });
            assert.deepEqual(registered, []);
        });
    }

    it("can load the package and its verbs, so that its constructors can refuse it", async () => {
        // No Kubernetes client: it uses functions that an older Node doesn't have.
        const loaded = `require("flux-minicluster"); require("flux-minicluster/provider");
            console.log(Object.keys(require.cache).filter((path) => /clientNode|client-node/.test(path)).length)`;
        assert.equal(await run(process.execPath, ["-e", loaded], { cwd: root }), "0\n");
    });
});
