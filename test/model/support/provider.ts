import { dirname, join, sep } from "node:path";

import type { DynamicType } from "../../../provider/shimText";
import type { Verbs } from "../../../provider/verbs";
import { processes } from "./clock";
import type { Host } from "./host";

const PROVIDER = dirname(require.resolve("../../../provider/shim"));

/** A separately loaded provider, as in its own process. */
export interface LoadedProvider {
    verbs(type: DynamicType): Verbs<any, any>;
    /** Clears the caches of its modules, as in a new process. */
    forget(): void;
}

/**
 * Loads the provider's verbs with another Kubernetes client, cancellation and log. All modules of the provider are
 * loaded again for this, so that other tests keep their own.
 */
export function loadProvider(clientNode: object): LoadedProvider {
    const ours = () => Object.keys(require.cache).filter((file) => file.startsWith(PROVIDER + sep));
    const before = ours().map((file) => [file, require.cache[file]] as const);
    before.forEach(([file]) => delete require.cache[file]);
    const say = () => (line: string) => (processes.getStore() as Host).world.say(line);
    const replacements: Record<string, object> = {
        "kube/clientNode": clientNode,
        "kube/preload": { preload: () => undefined },
        "engine/cancel": { cancellation: () => (processes.getStore() as Host).signal, engineAddress: () => [""] },
        "engine/log": { reporter: say, warner: say },
        "engine/program": {
            programRuns: async () => ["preview", "up"].includes((processes.getStore() as Host).operation.kind),
        },
    };
    for (const [path, exports] of Object.entries(replacements)) {
        const file = require.resolve(join(PROVIDER, path));
        require.cache[file] = {
            id: file,
            filename: file,
            path: dirname(file),
            loaded: true,
            children: [],
            paths: [],
            exports,
        } as unknown as NodeJS.Module;
    }
    try {
        const verbs: Record<DynamicType, () => Verbs<any, any>> = {
            CurveKey: () => require("../../../provider/curveKey/verbs").curveKey,
            FluxSubmission: () => require("../../../provider/fluxSubmission/verbs").fluxSubmission,
            FluxTicket: () => require("../../../provider/fluxTicket/verbs").fluxTicket,
            IndexedJob: () => require("../../../provider/indexedJob/verbs").indexedJob,
            JobStatus: () => require("../../../provider/jobStatus/verbs").jobStatus,
            KeygenPod: () => require("../../../provider/keygenPod/verbs").keygenPod,
        };
        const loaded = Object.fromEntries(Object.entries(verbs).map(([type, load]) => [type, load()])) as Record<
            DynamicType,
            Verbs<any, any>
        >;
        const remembered = ours()
            .flatMap((file) => Object.values(require.cache[file]?.exports as object))
            .filter((value) => value instanceof Map || value instanceof Set);
        return { verbs: (type) => loaded[type], forget: () => remembered.forEach((of) => of.clear()) };
    } finally {
        ours().forEach((file) => delete require.cache[file]);
        before.forEach(([file, module]) => (require.cache[file] = module));
    }
}
