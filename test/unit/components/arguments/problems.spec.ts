import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";

import { problemsOfCluster } from "../../../../components/arguments/resolve";
import { mockPulumi } from "../../support/pulumi";

/** An Output that is unknown also outside of a preview, as in an update of some resources only. */
const unknown = new (pulumi.Output as any)(
    new Set(),
    Promise.resolve(undefined),
    Promise.resolve(false),
    Promise.resolve(false),
    Promise.resolve(new Set()),
);

for (const preview of [true, false]) {
    describe(`problems of a cluster's arguments ${preview ? "at preview" : "in an update"}`, () => {
        const problems = async (args: object, name = "lammps") =>
            (await problemsOfCluster({ image: "flux", ...args }, name)).map(
                ({ property, reason }) => `${property}: ${reason}`,
            );

        before(() => mockPulumi({}, { preview }));

        it("don't wait for unknown values", async () => {
            assert.deepEqual(await problems({ namespace: unknown, certificate: unknown, size: unknown }), []);
            assert.deepEqual(await problems({ environment: { PASSWORD: unknown }, namespace: unknown }), []);
        });

        it("have those of a known Output beside an unknown one", async () => {
            const [first, ...others] = await problems({ namespace: unknown, certificate: pulumi.secret("nonsense") });
            assert.match(first, /^certificate: /);
            assert.deepEqual(others, []);
        });

        it("have those of mounts beside an unknown value of the same container", async () => {
            const mount = { name: "data", mountPath: "/data" };
            const flux = { name: "flux", volumeMounts: [mount, { ...mount, mountPath: "/data/" }], tty: unknown };
            const podTemplate = { spec: { containers: [flux] } };
            const rank = { resources: { limits: { cpu: unknown } }, environment: { PASSWORD: unknown } };
            const path = "podTemplate.spec.containers[flux].volumeMounts";
            assert.deepEqual(await problems({ image: unknown, view: { image: unknown }, ...rank, podTemplate }), [
                `${path}[/data/]: is /data, where there is a mount of ${path}[/data] already. Use another path.`,
            ]);
        });

        it("have those of an Output that is the namespace", async () => {
            const [first] = await problems({ namespace: pulumi.output("No_Name") });
            assert.match(first, /^namespace: is not a namespace name\. Use up to 63 /);
        });

        it("show a namespace that is no Output", async () => {
            const [first] = await problems({ namespace: "No_Name", size: pulumi.output(2) });
            assert.match(first, /^namespace: is "No_Name", which is not a namespace name\. Use up to 63 /);
        });

        it("have those of host names, which contain the namespace", async () => {
            const namespace = pulumi.output("n".repeat(20));
            const [first] = await problems({ fqdn: true, namespace }, "l".repeat(40));
            assert.match(first ?? "", /64|63/);
        });
    });
}
