import assert from "node:assert/strict";

import { checkArguments } from "../../../../components/arguments/shape";
import { resolveSpec, validate } from "../../../../components/arguments/decide";
import { fromOperator } from "../../../../convert";

export interface Converted {
    readonly args: Record<string, any>;
    /** Without the lines of the fields. */
    readonly warnings: readonly string[];
}

/** Converts a resource whose Flux is in the image. `container` has the fields of the container that runs Flux. */
export function convert(
    { containers = [], flux = {}, ...spec }: Record<string, any>,
    container: object = {},
): Converted {
    const { args, warnings } = fromOperator(
        JSON.stringify({
            apiVersion: "flux-framework.org/v1alpha2",
            kind: "MiniCluster",
            metadata: { name: "sample" },
            spec: {
                size: 2,
                ...spec,
                flux: { ...flux, container: { disable: true, ...flux.container } },
                containers: [{ image: "a:1", runFlux: true, ...container }, ...containers],
            },
        }),
    );
    return {
        args: JSON.parse(JSON.stringify(args)) as Record<string, any>,
        warnings: warnings.map((warning) => warning.replaceAll(" (line 1)", "")),
    };
}

/** Asserts that the preview of a MiniCluster takes the arguments. */
export function assertPreview(args: object, name = "sample"): void {
    assert.deepEqual(checkArguments(args), []);
    assert.deepEqual(validate(resolveSpec(name, args as never)), []);
}
