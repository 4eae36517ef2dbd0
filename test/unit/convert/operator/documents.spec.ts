import assert from "node:assert/strict";

import { readMiniCluster } from "../../../../convert/operator/resource";

const SPEC = "spec: {size: 2, flux: {container: {disable: true}}, containers: [{image: a:1, command: b}]}";
const document = (metadata = "{name: sample}", apiVersion = "flux-framework.org/v1alpha2") =>
    `apiVersion: ${apiVersion}\nkind: MiniCluster\nmetadata: ${metadata}\n${SPEC}\n`;

describe("text with a resource of the operator", () => {
    it("may have other documents, which get warnings with their lines", () => {
        const service = "kind: Service\nmetadata: {name: web}\n";
        const { name, warnings } = readMiniCluster(
            `${service}---\n${document()}---\n${document("{name: second}")}---\n# none\n---\na: 1\n`,
        );
        assert.deepEqual(
            [name, warnings],
            [
                "sample",
                [
                    'documents (line 1): the Service "web" is not converted: apply it yourself, or make it with Pulumi.',
                    'documents (line 9): the MiniCluster "second" is not converted: pass its document on its own.',
                    "documents (line 16): the object without a kind is not converted: apply it yourself, or make it with Pulumi.",
                ],
            ],
        );
    });

    it("may be a list, as kubectl get prints it, with the fields that the server sets", () => {
        const applied = "annotations: {kubectl.kubernetes.io/last-applied-configuration: x}";
        const metadata = `{name: sample, namespace: hpc, uid: u, resourceVersion: "1", generation: 1, creationTimestamp: t, ${applied}}`;
        const item = `${document(metadata)}status: {size: 2}\n`.replaceAll(/^/gm, "    ").replace("    ", "  - ");
        const { args, name, warnings } = readMiniCluster(`apiVersion: v1\nkind: List\nitems:\n${item}`);
        assert.deepEqual([name, args.namespace, args.command, warnings], ["sample", "hpc", ["b"], []]);
        const wrong = item.replace("size: 2", "sise: 2");
        assert.match(
            readMiniCluster(`kind: List\nitems:\n${wrong}`).warnings[0],
            /^spec\.sise \(line 6\): is no field/,
        );
    });

    it("gets a warning about a key that is given twice, with both lines; the last one counts", () => {
        const text = document().replace("spec: {", "spec: {\n  size: 3,\n  ");
        const { args, warnings } = readMiniCluster(text);
        assert.deepEqual(
            [args.size, warnings],
            [2, ["spec.size (line 6): is given in the lines 5 and 6, of which the last one counts. Remove the other."]],
        );
    });

    for (const [what, metadata, apiVersion, name, warning] of [
        [
            "labels and annotations of the resource",
            "{name: sample, labels: {a: b}, annotations: {c: d}}",
            undefined,
            "sample",
            "metadata.annotations (line 3): are those of the operator's resource, which the operator gives to no other object. " +
                "If the Job and other objects should have them, give the argument annotations.",
        ],
        [
            "a generated name",
            "{generateName: sample-}",
            undefined,
            "sample",
            'metadata.generateName (line 3): is "sample-", which gets an end in Kubernetes; the name is now "sample". Give another name, if you like.',
        ],
        [
            "a missing name",
            "{}",
            undefined,
            "flux-sample",
            'metadata.name (line 3): is missing; the name is now "flux-sample". Give another name, if you like.',
        ],
        [
            "finalizers",
            "{name: sample, finalizers: [a]}",
            undefined,
            "sample",
            "metadata.finalizers (line 3): is ignored: there is no resource of the operator any more. Remove it.",
        ],
        [
            "an unknown version",
            "{name: sample}",
            "flux-framework.org/v1",
            "sample",
            'apiVersion (line 1): is "flux-framework.org/v1"; the resource is read as flux-framework.org/v1alpha2. Write it as v1alpha2, with flux.container.disable: true if the image has Flux.',
        ],
    ] as const) {
        it(`gets a warning about ${what}`, () => {
            const read = readMiniCluster(document(metadata, apiVersion));
            assert.deepEqual([read.name, read.warnings[0]], [name, warning]);
        });
    }

    it("gets a warning about a name that YAML doesn't read as a text", () => {
        const { args, name, warnings } = readMiniCluster(document("{name: y, namespace: n}"));
        const read = "which Kubernetes refuses here. It is read as the text in the file; quote it.";
        assert.deepEqual(
            [name, args.namespace, warnings],
            [
                "y",
                "n",
                [
                    `metadata.namespace (line 3): is n, in YAML a boolean, ${read}`,
                    `metadata.name (line 3): is y, in YAML a boolean, ${read}`,
                ],
            ],
        );
    });

    it("is an error with its line if it is no YAML, also after the resource", () =>
        assert.throws(() => readMiniCluster(`${document()}---\na: [b\n`), {
            message: /^The YAML has an error at line \d+, column \d+: .* Correct the text there\.$/,
        }));
});
