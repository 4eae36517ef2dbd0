import * as pulumi from "@pulumi/pulumi";

import type { Json } from "../provider/contract/object";
import { secret } from "../provider/host/properties";

/** A value without Outputs, which the plugin can't send: each secret Output has the mark of a secret instead. */
export async function withoutOutputs(value: Json): Promise<Json> {
    if (pulumi.Output.isInstance(value)) {
        const output = pulumi.output(value);
        const [isSecret, content] = [await pulumi.isSecret(output), await valueOf(output)];
        return isSecret ? secret(content) : content;
    }
    if (Array.isArray(value)) {
        return Promise.all(value.map(withoutOutputs));
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    const entries = Object.entries(value).map(async ([name, item]) => [name, await withoutOutputs(item)]);
    return Object.fromEntries(await Promise.all(entries));
}

function valueOf(output: pulumi.Output<unknown>): Promise<Json> {
    return new Promise((resolve) => output.apply(resolve));
}
