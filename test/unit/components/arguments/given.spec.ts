import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../../../../components/args";
import type { Shape } from "../../../../components/arguments/fields";
import { given } from "../../../../components/arguments/given";
import { ARGUMENTS } from "../../../../components/generated/shapes";
import { MiniCluster } from "../../../../components/miniCluster";
import { Keygen } from "../../../../components/parts/keygen";
import { answers, lateProblem } from "../../support/cluster";
import { mockPulumi, settled } from "../../support/pulumi";

/** Everything that a program with these arguments registers, in an order that doesn't depend on time; long texts as hashes. */
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
    /** Fields that have to be given, or `{}` is another cluster than none. */
    const structures = names.filter(
        (name) =>
            typeof ARGUMENTS[name] === "object" &&
            "fields" in ARGUMENTS[name] &&
            !["archive", "user", "view"].includes(name),
    );

    it("is as good as leaving out all arguments, at every depth, also in Outputs", async () => {
        const without = await registeredBy({});
        assert.deepEqual(await registeredBy(Object.fromEntries(names.map((name) => [name, null]))), without);
        assert.deepEqual(
            await registeredBy(Object.fromEntries(structures.map((name) => [name, nulls(ARGUMENTS[name])]))),
            without,
        );
        const immediate = ["keygen", "networkPolicy", "output", "services"];
        // Whether the first is given is known at once; the second is the provider's to read.
        const open = names.filter((name) => ![...immediate, "certificate", "kubeconfig"].includes(name));
        assert.deepEqual(await registeredBy(Object.fromEntries(open.map((name) => [name, later(null)]))), without);
    });

    it("as certificateSecret leaves the certificate in the cluster's own Secret", async () => {
        for (const certificateSecret of [null, later(null)]) {
            const [secret] = (await registeredBy({ certificateSecret })).filter((text) =>
                text.includes('"kind":"Secret"'),
            );
            assert.match(secret, /"curve.cert":"/);
        }
    });

    it("as certificate registers the Job with its Secret", async () => {
        const registered = await registeredBy({ certificate: null });
        assert.ok(registered.some((text) => text.includes('"lammps-job"') && text.includes('"kind":"Secret"')));
    });

    it("as serviceAccountName gives the pods the service account that the init container needs", async () => {
        const registered = await registeredBy({ keygen: Keygen.InitContainer, serviceAccountName: null });
        assert.deepEqual(registered, await registeredBy({ keygen: Keygen.InitContainer }));
        assert.ok(registered.some((text) => text.includes("core/v1:ServiceAccount")));
    });

    it("that comes too late to make the service account is refused", async () => {
        await mockPulumi(answers);
        const args = { image: "flux", keygen: Keygen.InitContainer, serviceAccountName: later(null) };
        const problem = await lateProblem(new MiniCluster("lammps", args as unknown as MiniClusterArgs));
        assert.match(
            problem.message,
            /serviceAccountName: turns out to be null, which is too late to make a service account\./,
        );
        await settled().catch(() => undefined);
    });

    it("stays in Kubernetes objects, lists and maps, where it says something", () => {
        const args = {
            podTemplate: { spec: { dnsConfig: null } },
            labels: { a: null },
            command: ["a", null],
            triggers: [null],
        };
        assert.deepEqual(given(args), args);
        assert.deepEqual(given({ volumes: [{ name: "a", subPath: null }], size: undefined }), {
            volumes: [{ name: "a" }],
        });
    });
});
