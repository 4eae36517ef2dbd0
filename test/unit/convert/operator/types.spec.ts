import assert from "node:assert/strict";

import { readMiniCluster } from "../../../../convert/operator/resource";

const resource = (...lines: string[]) =>
    [
        "apiVersion: flux-framework.org/v1alpha2",
        "kind: MiniCluster",
        "metadata: {name: sample}",
        "spec:",
        "  flux: {container: {disable: true}}",
        ...lines.map((line) => `  ${line}`),
    ].join("\n");
const image = "containers: [{image: a:1}]";

describe("a value of another type in the operator's resource", () => {
    const odd: [what: string, lines: string[], property: string, expected: unknown, warning: string][] = [
        [
            "a boolean in place of a text",
            ["containers: [{image: a:1, environment: {DEBUG: off}}]"],
            "environment.DEBUG",
            "off",
            "spec.containers[0].environment.DEBUG (line 6): is off, in YAML a boolean, which Kubernetes refuses here. It is read as the text in the file; quote it.",
        ],
        [
            "a number in place of a text",
            ["containers: [{image: a:1, environment: {COUNT: 010}}]"],
            "environment.COUNT",
            "010",
            "spec.containers[0].environment.COUNT (line 6): is 010, in YAML a number, which Kubernetes refuses here. It is read as the text in the file; quote it.",
        ],
        [
            "a number that may be a secret",
            ["containers: [{image: a:1, environment: {API_TOKEN: 123}}]"],
            "environment.API_TOKEN",
            "123",
            "spec.containers[0].environment.API_TOKEN (line 6): is a hidden value, in YAML a number, which Kubernetes refuses here. It is read as the text in the file; quote it.",
        ],
        [
            "a fraction in place of a quantity",
            ["containers: [{image: a:1, command: b, resources: {limits: {cpu: 1.50}}}]"],
            "resources.limits.cpu",
            "1.50",
            "spec.containers[0].resources.limits.cpu (line 6): is 1.50, in YAML a number, which Kubernetes refuses here. It is read as the text in the file; quote it.",
        ],
        [
            "a text in place of a number",
            ['size: "4"', image],
            "size",
            4,
            'spec.size (line 6): is "4", in YAML a text, which Kubernetes refuses here. It is read as 4; write 4.',
        ],
        [
            "a text in place of a boolean",
            ["shareProcessNamespace: 'yes'", image],
            "podTemplate.spec.shareProcessNamespace",
            true,
            'spec.shareProcessNamespace (line 6): is "yes", in YAML a text, which Kubernetes refuses here. It is read as true; write true.',
        ],
    ];
    for (const [what, lines, property, expected, warning] of odd) {
        it(`is read by its meaning, with a warning: ${what}`, () => {
            const { args, warnings } = readMiniCluster(resource(...lines));
            const found = property.split(".").reduce<any>((value, name) => value?.[name], args);
            assert.deepEqual([found, warnings], [expected, [warning]]);
        });
    }

    it("is what Kubernetes reads if it is a number in another form", () => {
        const { args, warnings } = readMiniCluster(resource("size: 010", "deadlineSeconds: 1e3", image));
        assert.deepEqual([args.size, args.activeDeadlineSeconds, warnings], [8, 1000, []]);
    });

    it("gets a warning if it is a key that YAML doesn't read as a text", () => {
        const { args, warnings } = readMiniCluster(resource("containers: [{image: a:1, environment: {N: b, 'Y': c}}]"));
        const path = "spec.containers[0].environment.false (line 6)";
        assert.deepEqual(
            [args.environment, warnings],
            [
                { false: "b", Y: "c" },
                [`${path}: is written N in the file, which is no text in YAML. Quote it, if it should be the text.`],
            ],
        );
    });

    it("is left out if it is null, as Kubernetes leaves it out", () => {
        const { args, warnings } = readMiniCluster(
            resource("tasks: ~", "services:", "pod: {labels: null, nodeSelector: {a: null}}", image),
        );
        assert.deepEqual([args.services, args.podLabels, args.nodeSelector, warnings], [undefined, undefined, {}, []]);
    });

    const wrong: [what: string, lines: string[], message: string][] = [
        [
            "a map in place of a list",
            ["containers: {image: a:1}"],
            "spec.containers (line 6) is a map, but it must be a list, each item with a dash.",
        ],
        [
            "a text in place of a map",
            ["logging: quiet", image],
            'spec.logging (line 6) is "quiet", but it must be a map, with lines such as name: value.',
        ],
        [
            "a word in place of a number",
            ["size: four", image],
            'spec.size (line 6) is "four", but it must be a whole number.',
        ],
        [
            "a list in place of a text",
            ["containers: [{image: a:1, command: [b, c]}]"],
            "spec.containers[0].command (line 6) is a list, but it must be a text.",
        ],
        [
            "a number in place of a boolean",
            ["interactive: 5", image],
            "spec.interactive (line 6) is 5, but it must be true or false.",
        ],
        [
            "an empty item",
            ["containers:", "- image: a", "-"],
            "spec.containers[1] (line 8) is empty, but it must be a value.",
        ],
        [
            "a secret of another type",
            ["flux: {curveCert: {a: b}}", image],
            "spec.flux.curveCert (line 6) is a map, but it must be a text.",
        ],
    ];
    for (const [what, lines, message] of wrong) {
        it(`is an error with its line if it has no meaning: ${what}`, () =>
            assert.throws(() => readMiniCluster(resource(...lines)), {
                message: `${message} Kubernetes refuses it too.`,
            }));
    }
});
