import type { Provider } from "@pulumi/pulumi/provider";

import { Peer } from "./server/peer";

/**
 * Starts the SDK's own server of components in this process. It loads both Pulumi SDKs, which takes half a second, so it is
 * started by the first call that needs it. The components' children get the version.
 */
export async function startComponents(version: string | undefined): Promise<Peer> {
    const { construct, main, useNativeTypes } = load();
    useNativeTypes(version);
    return new Peer(await withoutItsListeners(() => portOf(main, { construct })));
}

function load() {
    try {
        const { provider } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
        const { construct } = require("./construct") as typeof import("./construct");
        const { useNativeTypes } = require("../provider/host/shim") as typeof import("../provider/host/shim");
        return { construct, main: provider.main, useNativeTypes };
    } catch (error) {
        const missing = /Cannot find module '(@pulumi\/\w+)'/.exec((error as Error).message)?.[1];
        throw missing === undefined
            ? error
            : new Error(`The package ${missing} is missing. Install it beside flux-minicluster.`);
    }
}

/**
 * The SDK's server ends all calls under way at an error that nobody catches, so the error of one component would be
 * reported as that of others too. The error reaches the outputs of its own component without this.
 */
async function withoutItsListeners<T>(start: () => Promise<T>): Promise<T> {
    const events = ["uncaughtException", "unhandledRejection"] as const;
    const before = events.map((event) => process.listeners(event as never));
    const started = await start();
    for (const [index, event] of events.entries()) {
        const added = process.listeners(event as never).filter((listener) => !before[index].includes(listener));
        added.forEach((listener) => process.removeListener(event, listener));
    }
    return started;
}

/** The SDK's server prints its port, and prints it nowhere else. The engine has already read this process's port. */
async function portOf(main: (provider: Provider, args: string[]) => Promise<void>, provider: Provider) {
    const { log } = console;
    try {
        return await new Promise<string>((resolve, reject) => {
            console.log = (line: unknown) => (/^\d+$/.test(String(line)) ? resolve(String(line)) : log(line));
            main(provider, process.argv.slice(2)).catch(reject);
        });
    } finally {
        console.log = log;
    }
}
