import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";

import { DynamicResource } from "../../../../provider/host/shim";
import { type DynamicType, shimText } from "../../../../provider/host/shimText";
import { CurveKey } from "../../../../provider/curveKey/resource";
import { verbs } from "../../../../provider/index";
import { mockPulumi, settled } from "../../support/pulumi";

const TYPES: DynamicType[] = ["CurveKey", "FluxSubmission", "FluxTicket", "IndexedJob", "JobStatus", "KeygenPod"];

describe("shimText", () => {
    for (const type of TYPES) {
        it(`of ${type} is a constant, because states of all earlier versions contain it`, () => {
            assert.equal(
                shimText(type),
                `exports.handler = () => require("flux-minicluster/provider").verbs("${type}");`,
            );
        });

        it(`of ${type} is the same in the compiled package, and under 1 KB`, () => {
            const built =
                require("../../../../dist/provider/host/shimText") as typeof import("../../../../provider/host/shimText");
            assert.equal(built.shimText(type), shimText(type));
            assert.ok(shimText(type).length < 1024);
        });

        it(`of ${type} needs only require, and calls it only when the handler is used`, () => {
            const asked: string[] = [];
            const module = { exports: {} as { handler?: () => unknown } };
            const require = (name: string) => {
                asked.push(name);
                return { verbs };
            };
            runInNewContext(shimText(type), { exports: module.exports, require });
            assert.deepEqual(asked, []);
            const provider = module.exports.handler?.() as Record<string, unknown>;
            assert.deepEqual(asked, ["flux-minicluster/provider"]);
            assert.deepEqual(Object.keys(provider).sort(), ["check", "create", "delete", "diff", "read", "update"]);
        });
    }
});

describe("DynamicResource", () => {
    const { cwd } = process;

    afterEach(() => (process.cwd = cwd));

    it("says what to do if Pulumi's host can't find the package", async () => {
        const folder = mkdtempSync(join(tmpdir(), "elsewhere-"));
        await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) });
        process.cwd = () => folder;
        assert.throws(() => new CurveKey("key"), {
            message:
                `The package flux-minicluster can't be found from ${folder}, where Pulumi runs its dynamic providers. Add ` +
                "flux-minicluster to the dependencies of the Pulumi program itself: being a dependency of another package is not enough.",
        });
        rmSync(folder, { recursive: true });
    });

    it("takes inputs whose fields are called toString", async () => {
        const inputs = { list: [[], [{ toString: "a" }]], map: { toString: "b", more: 1 }, text: "c" };
        const registered = await mockPulumi();
        new Some(inputs);
        await settled();
        assert.deepEqual(
            registered.map(({ inputs: { __provider, resourceUrn: _urn, ...rest } }) => rest),
            [inputs],
        );
    });
});

class Some extends DynamicResource {
    constructor(inputs: Record<string, unknown>) {
        super("CurveKey", "some", inputs);
    }
}
