import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { sidecars as feature } from "../../../../../components/features/sidecars";
import { makeSpec, problemsOf } from "../../../support/spec";

type Sidecars = NonNullable<PlainArgs["sidecars"]>;

const problems = (sidecars: Sidecars) => problemsOf(feature, makeSpec({ sidecars }));

describe("the rules of sidecars", () => {
    const image = "registry.example/log:1";
    const named = "a DNS label that isn't flux and doesn't start with flux-, because those are the cluster's own.";

    it("accepts what can work", () => {
        const environment = { LEVEL: "1" };
        const resources = { limits: { cpu: "1" } };
        assert.deepEqual(
            problems([
                { name: "log", image, environment, resources },
                { name: "web", image, command: ["x"], leadOnly: true },
            ]),
            [],
        );
    });

    const wrong: [Sidecars, string][] = [
        [[{ name: "flux", image }], `sidecars[0].name: is "flux"; it must be ${named}`],
        [[{ name: "flux-x", image }], `sidecars[0].name: is "flux-x"; it must be ${named}`],
        [[{ name: "log", image: "" }], "sidecars[0].image: is missing; give an image."],
        [
            [{ name: "log", image, leadOnly: true }],
            "sidecars[0].leadOnly: is true, but the other ranks need something to run instead. Give the command.",
        ],
        [
            [{ name: "log", image, environment: { FLUX_URI: "x" } }],
            "sidecars[0].environment.FLUX_URI: is set by MiniCluster itself. Use another name.",
        ],
        [
            [{ name: "log", image, environment: { "a-b": "x" } }],
            "sidecars[0].environment.a-b: is no name of a variable: letters, digits and '_', the first no digit.",
        ],
        [
            [{ name: "log", image, resources: { limits: { cpu: "much" } } }],
            'sidecars[0].resources.limits.cpu: is "much", which is no Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            [
                { name: "log", image },
                { name: "log", image },
            ],
            'sidecars[1].name: is "log", which another one has. Change one of them.',
        ],
    ];
    for (const [sidecars, text] of wrong) {
        it(`says ${text}`, () => assert.deepEqual(problems(sidecars), [text]));
    }
});
