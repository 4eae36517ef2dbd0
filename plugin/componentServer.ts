import type { Provider } from "@pulumi/pulumi/provider";

import { Peer } from "../provider/host/peer";

/**
 * Starts the SDK's own server of components in this process. It loads both Pulumi SDKs, which takes half a second, so it is
 * started by the first call that needs it.
 */
export async function startComponents(): Promise<Peer> {
    const { provider } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
    const { construct } = require("./construct") as typeof import("./construct");
    const { useNativeTypes } = require("../provider/shim") as typeof import("../provider/shim");
    useNativeTypes();
    return new Peer(await portOf(provider.main, { construct }));
}

/** The SDK's server says its port on standard output only, and the engine has read this process's port there already. */
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
