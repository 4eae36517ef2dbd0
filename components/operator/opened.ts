import * as pulumi from "@pulumi/pulumi";

import type { Json } from "../../provider/contract/object";

/** A value with its Outputs opened. `mark` is applied to the values of those that are secrets. */
export async function opened(value: Json, mark: (secret: Json) => Json): Promise<Json> {
    if (pulumi.Output.isInstance(value)) {
        const output = pulumi.output<Json>(value);
        const [isSecret, content] = await Promise.all([pulumi.isSecret(output), valueOf(output)]);
        return isSecret ? mark(content) : content;
    }
    if (Array.isArray(value)) {
        return Promise.all(value.map((item) => opened(item, mark)));
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    const entries = Object.entries(value).map(async ([name, item]) => [name, await opened(item, mark)]);
    return Object.fromEntries(await Promise.all(entries));
}

function valueOf(output: pulumi.Output<Json>): Promise<Json> {
    return new Promise((resolve) => output.apply(resolve));
}
