import assert from "node:assert/strict";

import fc from "fast-check";

import type { PlainArgs } from "../../../../components/args";
import { resolveSpec } from "../../../../components/arguments/decide";
import { configFiles } from "../../../../components/pod/configMap";
import { job } from "../../../../components/pod/job";
import { headlessService, leadService } from "../../../../components/pod/services";
import { podTemplate } from "../../../../components/pod/template";
import { anyArgs, reversed, text } from "../../support/arbitrary";
import { expand } from "../../support/expansion";
import { makeSpec } from "../../support/spec";

/** All manifests for these arguments, as one text. */
function everything(args: PlainArgs): string {
    const spec = resolveSpec("lammps", args);
    const files = configFiles(spec);
    return JSON.stringify([job(spec, "hpc", files), files, leadService(spec), headlessService(spec)]);
}

describe("the manifests", () => {
    it("are byte-equal for equal arguments, whatever the order of maps", () => {
        fc.assert(
            fc.property(anyArgs, (args) => {
                assert.equal(everything(reversed(args)), everything(args));
            }),
        );
    });

    it("have a pod template and a ConfigMap that depend on the limits of the size, not on the size", () => {
        const sizes = fc.tuple(
            fc.integer({ min: 1, max: 5 }),
            fc.integer({ min: 5, max: 9 }),
            fc.integer({ min: 5, max: 9 }),
        );
        fc.assert(
            fc.property(anyArgs, sizes, (args, [minSize, a, b]) => {
                const fixed = (size: number) => {
                    const spec = resolveSpec("lammps", { ...args, size, minSize, maxSize: 9 });
                    const files = configFiles(spec);
                    return JSON.stringify([podTemplate(spec, "hpc", files), files]);
                };
                assert.equal(fixed(a), fixed(b));
            }),
        );
    });

    it("pass the command unchanged to the container", () => {
        fc.assert(
            fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (command) => {
                const spec = makeSpec({ command, podTemplate: {} });
                const [container] = podTemplate(spec, "hpc", configFiles(spec)).spec.containers;
                const variables = Object.fromEntries(
                    container.env.map(({ name }: { name: string }) => [name, "wrong"]),
                );
                assert.deepEqual(
                    container.args.map((word: string) => expand(word, variables)),
                    command,
                );
            }),
        );
    });

    it("hold no undefined values, which JSON would leave out", () => {
        fc.assert(
            fc.property(anyArgs, (args) => {
                const spec = resolveSpec("lammps", { ...args, volumes: [] });
                const manifest = job(spec, "hpc", configFiles(spec));
                assert.deepEqual(JSON.parse(JSON.stringify(manifest)), manifest);
            }),
        );
    });
});
