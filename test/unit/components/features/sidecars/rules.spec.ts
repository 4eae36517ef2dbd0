import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { sidecars as feature } from "../../../../../components/features/sidecars";
import { makeSpec, problemsOf } from "../../../support/spec";

type Sidecars = NonNullable<PlainArgs["sidecars"]>;

const problems = (sidecars: Sidecars) => problemsOf(feature, makeSpec({ sidecars }));

describe("the rules of sidecars", () => {
    const image = "registry.example/log:1";
    const named = "a DNS label that isn't flux and doesn't start with flux-, because such names belong to the cluster.";

    it("accept sidecars of all ranks and of the lead", () => {
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

    const wrong: [string, Sidecars, string][] = [
        ["the name flux", [{ name: "flux", image }], `sidecars[0].name: is "flux"; it must be ${named}`],
        [
            "a name that starts with flux-",
            [{ name: "flux-x", image }],
            `sidecars[0].name: is "flux-x"; it must be ${named}`,
        ],
        ["a sidecar with an empty image", [{ name: "log", image: "" }], 'sidecars[0].image: is ""; give an image.'],
        [
            "a leadOnly sidecar without a command",
            [{ name: "log", image, leadOnly: true }],
            "sidecars[0].leadOnly: is true, but command is missing, and leadOnly can't start the image's own command. Give the command.",
        ],
        [
            "a variable that MiniCluster sets",
            [{ name: "log", image, environment: { FLUX_URI: "x" } }],
            "sidecars[0].environment.FLUX_URI: is set by MiniCluster itself. Use another name.",
        ],
        [
            "a variable with an invalid name",
            [{ name: "log", image, environment: { "a-b": "x" } }],
            "sidecars[0].environment.a-b: is not a variable name. Use letters, digits and '_', and start with a letter or '_'.",
        ],
        [
            "a limit that isn't a quantity",
            [{ name: "log", image, resources: { limits: { cpu: "much" } } }],
            'sidecars[0].resources.limits.cpu: is "much", which is not a Kubernetes quantity. Write it like "4", "500m" or "8Gi".',
        ],
        [
            "a name of two sidecars",
            [
                { name: "log", image },
                { name: "log", image },
            ],
            'sidecars[1].name: is "log", which is already the name of another container. Change one of them.',
        ],
    ];
    for (const [what, sidecars, text] of wrong) {
        it(`refuse ${what}`, () => assert.deepEqual(problems(sidecars), [text]));
    }
});
