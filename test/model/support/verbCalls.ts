import type { DynamicType } from "../../../provider/host/shimText";
import { makeClientNode } from "./clientNode";
import type { Host } from "./host";
import type { ProviderRule } from "./providerRules";
import { type LoadedProvider, loadProvider } from "./provider";
import { service } from "./service";
import { settings } from "./settings";
import type { Provider } from "./steps";

let loaded: LoadedProvider | undefined;

export function provider(): LoadedProvider {
    loaded ??= loadProvider(makeClientNode());
    return loaded;
}

/** Runs work with a provider that lacks a rule. */
export async function withoutRule<T>(rule: ProviderRule, work: () => Promise<T>): Promise<T> {
    const whole = loaded;
    loaded = loadProvider(makeClientNode(), rule);
    try {
        return await work();
    } finally {
        loaded = whole;
    }
}

/** The verbs of a type of resource. */
export function verbsOf(type: string): any {
    switch (type) {
        case "Service":
            return service;
        case "Settings":
            return settings;
        default:
            return provider().verbs(type as DynamicType);
    }
}

/** True for a `diff` of the state's inputs, with unknown ones, before the resource is registered. */
function isBeforeCheck(type: string, { nonce }: { nonce?: string }, { operation }: Host): boolean {
    return ["FluxSubmission", "IndexedJob"].includes(type) && !operation.checked.has(`${type} ${nonce}`);
}

function note({ operation, world }: Host, type: string, id: string, olds: any): void {
    const user = operation.before.find((state) => state.type === "Settings");
    const isChanged = user !== undefined && user.inputs["content"] !== (operation.wish.content ?? "a");
    const isCluster = type === "IndexedJob";
    const runs = isCluster ? world.isRunning(id.split("/")[2]) : world.flux.running(olds.jobId as string) !== undefined;
    world.note(
        `${isChanged ? "the user's resource" : "the lead Service"} is deleted first: diff of ` +
            `${isCluster ? "a cluster" : "a FluxJob"}${runs ? " that runs" : ""}`,
    );
}

/** The verbs in their host, which notes when and for what they are called. */
export function observed(type: string, verbs: Provider, host: Host): Provider {
    host.verbBegun = host.world.clusterAt("").clock.now;
    return {
        ...verbs,
        check(olds: any, news: any) {
            host.operation.checked.add(`${type} ${news.nonce}`);
            return verbs.check(olds, news);
        },
        diff(id, olds: any, news: any) {
            if (host.operation.kind === "up" && isBeforeCheck(type, olds, host)) {
                note(host, type, id, olds);
            }
            return verbs.diff(id, olds, news);
        },
    };
}
