import { createRequire } from "node:module";
import { join } from "node:path";

import * as pulumi from "@pulumi/pulumi";

import { requireNode } from "../contract/versions";
import { type Operation, operationOf, within } from "../contract/operation";
import { giveAccess } from "./programAccess";
import { type DynamicType, nativeToken, shimText, typeToken } from "./shimText";

/** Options of all resources in the process of the plugin; undefined in a program. */
let plugin: { readonly version?: string } | undefined;

/**
 * Gives the resources of this process the types of the plugin in which it runs. `version` is that of its provider, if it
 * has one. With another, Pulumi would start a second process of the plugin.
 */
export function useNativeTypes(version: string | undefined): void {
    plugin = { version };
}

/** A resource whose verbs run in Pulumi's dynamic provider host, or in the plugin. */
export abstract class DynamicResource extends pulumi.CustomResource {
    protected constructor(
        type: DynamicType,
        name: string,
        props: Record<string, unknown>,
        opts?: pulumi.CustomResourceOptions,
    ) {
        requireNode();
        const inputs = convertible({ ...props, resourceUrn: told(props, urnOf(type, name, opts)) });
        if (plugin === undefined) {
            requireResolvable();
            super(tokenOf(type), name, { ...inputs, __provider: shimText(type) }, opts);
        } else {
            super(tokenOf(type), name, inputs, { ...plugin, ...opts });
        }
    }
}

/** The operation of the program; undefined in a unit test with mocks, which has no engine. */
function currentOperation(): Operation | undefined {
    const client = pulumi.runtime.getEngine() as unknown as Partial<EngineClient> | undefined;
    // gRPC puts the way to resolve a name before it: `dns:127.0.0.1:40001`.
    const address = client
        ?.getChannel?.()
        .getTarget()
        .replace(/^[a-z]+:(?=.*:\d+$)/, "");
    return client === undefined || address === undefined ? undefined : operationOf(client, address);
}

interface EngineClient {
    getChannel(): { getTarget(): string };
}

/** The same function, which runs later, in the operation that the program is in now. */
export function inThisOperation<A extends unknown[], T>(call: (...words: A) => T): (...words: A) => T {
    const operation = currentOperation();
    return operation === undefined ? call : within(operation, call);
}

/** The URN of a resource, after its verbs can know its access: the engine may run them as soon as it gets the URN. */
async function told({ context, kubeconfig }: Record<string, unknown>, resourceUrn: Promise<string>): Promise<string> {
    const operation = currentOperation();
    const urn = await resourceUrn;
    if (operation !== undefined) {
        // An Output that fails also fails the resource.
        const access = await valueOf(pulumi.all([context, kubeconfig])).catch(() => undefined);
        if (access !== undefined) {
            const [ofContext, ofKubeconfig] = access as [string | undefined, string | undefined];
            giveAccess(operation, { urn, context: ofContext, kubeconfig: ofKubeconfig });
        }
    }
    return urn;
}

/** Undefined if the value is unknown, as in an update with `--target`. Pulumi has no public way to ask for that. */
export async function valueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
    const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
    return (await isKnown) ? new Promise((resolve) => output.apply(resolve as (value: unknown) => void)) : undefined;
}

/**
 * Pulumi's SDK converts each plain input to a string. That fails for an object with a field called `toString`, which
 * `triggers` may have: the program then hangs, or its error doesn't name the resource. The SDK converts no Outputs, so
 * such an input becomes one.
 */
function convertible(props: Record<string, unknown>): Record<string, unknown> {
    const entries = Object.entries(props);
    return Object.fromEntries(
        entries.map(([name, value]) => [name, hasNoString(value) ? pulumi.output(value) : value]),
    );
}

function hasNoString(value: unknown): boolean {
    return Array.isArray(value)
        ? value.some(hasNoString)
        : typeof value === "object" && value !== null && typeof value.toString !== "function";
}

/**
 * The URN of a resource that is about to be created; its verbs write progress to it. A promise, because an
 * Output would depend on the parent, and a parent that is a component depends on this resource.
 */
function urnOf(type: DynamicType, name: string, opts?: pulumi.CustomResourceOptions): Promise<string> {
    const urn = pulumi.createUrn(name, tokenOf(type), opts?.parent);
    return new Promise((resolve) => urn.apply(resolve));
}

function tokenOf(type: DynamicType): string {
    return plugin !== undefined ? nativeToken(type) : typeToken(type);
}

/**
 * Fails if the package can't be resolved from the program's folder, where the provider host looks for it: the host
 * would report that only in its log. This file's own `require` can't be used, because a package always finds itself.
 */
function requireResolvable(): void {
    try {
        createRequire(join(process.cwd(), "program.js")).resolve("flux-minicluster/provider");
    } catch (cause) {
        throw new Error(
            `The package flux-minicluster can't be found from ${process.cwd()}, where Pulumi runs its dynamic ` +
                "providers. Add flux-minicluster to the dependencies of the Pulumi program itself: being a dependency " +
                "of another package is not enough.",
            { cause },
        );
    }
}
