import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../../../../components/args";
import type { Shape } from "../../../../components/arguments/fields";
import { dropNulls } from "../../../../components/arguments/dropNulls";
import { ARGUMENTS } from "../../../../components/generated/shapes";
import { MiniCluster } from "../../../../components/miniCluster";
import { Keygen } from "../../../../components/features/key/keygen";
import { answers, lateProblem } from "../../support/cluster";
import { mockPulumi, settled } from "../../support/pulumi";

/** All that a program with these arguments registers, in an order independent of time. Long texts are hashes. */
async function registeredBy(args: object): Promise<string[]> {
    const registered = await mockPulumi(answers);
    new MiniCluster("lammps", { image: "registry.example/lammps:1", ...args });
    await settled();
    return registered.map(({ inputs, name, type }) => JSON.stringify([type, name, inputs], shortened)).sort();
}

function shortened(_: string, value: unknown): unknown {
    return typeof value === "string" && value.length > 300 ? createHash("sha256").update(value).digest("hex") : value;
}

/** A value in which each named field is null. */
function nulls(shape: Shape): unknown {
    if (typeof shape === "object" && "fields" in shape) {
        return Object.fromEntries(Object.keys(shape.fields).map((name) => [name, null]));
    }
    return null;
}

const later = <T>(value: T) => pulumi.output(Promise.resolve(value));

describe("null as an argument", () => {
    const names = Object.keys(ARGUMENTS).filter((name) => name !== "image");
    /** Without those that have required fields, or for which `{}` makes another cluster than leaving them out. */
    const structures = names.filter(
        (name) =>
            typeof ARGUMENTS[name] === "object" &&
            "fields" in ARGUMENTS[name] &&
            ![
                "archive",
                "checkpoint",
                "code",
                "elastic",
                "metrics",
                "rendezvous",
                "results",
                "signal",
                "user",
                "view",
            ].includes(name),
    );

    it("has the effect of leaving the argument out, at every depth and in Outputs", async () => {
        const without = await registeredBy({});
        assert.deepEqual(await registeredBy(Object.fromEntries(names.map((name) => [name, null]))), without);
        assert.deepEqual(
            await registeredBy(Object.fromEntries(structures.map((name) => [name, nulls(ARGUMENTS[name])]))),
            without,
        );
        const immediate = [
            "code",
            "disruptionBudget",
            "elastic",
            "keygen",
            "metrics",
            "networkPolicy",
            "output",
            "services",
        ];
        // Whether certificate is given must be known at once; the provider reads kubeconfig.
        const open = names.filter((name) => ![...immediate, "certificate", "kubeconfig"].includes(name));
        assert.deepEqual(await registeredBy(Object.fromEntries(open.map((name) => [name, later(null)]))), without);
    });

    it("keeps the certificate in the cluster's own Secret when it is given as certificateSecret", async () => {
        for (const certificateSecret of [null, later(null)]) {
            const [secret] = (await registeredBy({ certificateSecret })).filter((text) =>
                text.includes('"kind":"Secret"'),
            );
            assert.match(secret, /"curve.cert":"/);
        }
    });

    it("makes the Job hold the Secret when it is given as certificate", async () => {
        const registered = await registeredBy({ certificate: null });
        assert.ok(registered.some((text) => text.includes('"lammps-job"') && text.includes('"kind":"Secret"')));
    });

    it("makes the service account for the init container when it is given as serviceAccountName", async () => {
        const registered = await registeredBy({ keygen: Keygen.InitContainer, serviceAccountName: null });
        assert.deepEqual(registered, await registeredBy({ keygen: Keygen.InitContainer }));
        assert.ok(registered.some((text) => text.includes("core/v1:ServiceAccount")));
    });

    it("is refused as serviceAccountName if it comes too late to make the service account", async () => {
        await mockPulumi(answers);
        const args = { image: "flux", keygen: Keygen.InitContainer, serviceAccountName: later(null) };
        const problem = await lateProblem(new MiniCluster("lammps", args as unknown as MiniClusterArgs));
        assert.match(
            problem.message,
            /serviceAccountName: is an Output and null, but Pulumi must know before any Output/,
        );
        await settled().catch(() => undefined);
    });

    it("stays in Kubernetes objects, lists and maps, where it has a meaning", () => {
        const args = {
            podTemplate: { spec: { dnsConfig: null } },
            labels: { a: null },
            command: ["a", null],
            triggers: [null],
        };
        assert.deepEqual(dropNulls(args), args);
        assert.deepEqual(dropNulls({ volumes: [{ name: "a", subPath: null }], size: undefined }), {
            volumes: [{ name: "a" }],
        });
    });
});
