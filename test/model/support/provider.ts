import { readFileSync } from "node:fs";
import { Module } from "node:module";
import { dirname, join, sep } from "node:path";

import type { planJobs } from "../../../provider/plan/jobPlan";
import { OPERATIONS } from "../../../provider/contract/operation";
import type { DynamicType } from "../../../provider/host/shimText";
import type { Verbs } from "../../../provider/host/verbs";
import { processes } from "./clock";
import type { Host } from "./host";
import type { ProviderRule } from "./providerRules";

const PROVIDER = dirname(require.resolve("../../../provider/index"));

/** A separately loaded provider, as in its own process. */
export interface LoadedProvider {
    verbs(type: DynamicType): Verbs<any, any>;
    /** What `npx flux-minicluster plan` says of FluxJobs. */
    readonly planJobs: typeof planJobs;
    /** Clears the memory of its modules, as in a new process. */
    forget(): void;
    /** Names of the variables in that memory. */
    readonly memory: readonly string[];
}

/** Variables of a module that verbs change: empty maps and sets, and those of `let`, with their first values. */
const VARIABLES =
    /^(?:export )?(?:const (\w+) = new (?:Map|Set)\b[^\n]*?\(\);|let (\w+)(?:: [^=\n]+)?(?: = ([^;\n]+))?;)/gm;

/** Adds a statement to a module's code, which the compiler wraps in a function. */
function withEnd(code: string, statement: string): string {
    const end = code.lastIndexOf("})()");
    return end === -1 ? `${code}\n${statement}` : `${code.slice(0, end)};${statement}${code.slice(end)}`;
}

/** Loads modules with a function at their end that resets their variables, and one of them without a rule. */
function withResets<T>(
    load: () => T,
    taken?: ProviderRule,
): { loaded: T; names: readonly string[]; resets: readonly (() => void)[] } {
    const resets: (() => void)[] = [];
    const names: string[] = [];
    const prototype = Module.prototype as unknown as { _compile(code: string, file: string): unknown };
    const { _compile: compile } = prototype;
    const takenFile = taken && require.resolve(join(PROVIDER, taken.file));
    prototype._compile = function (code, file) {
        const found = file.startsWith(PROVIDER + sep) ? [...readFileSync(file, "utf8").matchAll(VARIABLES)] : [];
        const reset = found.map(([, map, variable, first]) => (map ? `${map}.clear();` : `${variable} = ${first};`));
        names.push(...found.map(([, map, variable]) => map ?? variable));
        const statements = [
            ...(reset.length === 0 ? [] : [`module.reset = () => { ${reset.join(" ")} };`]),
            ...(taken !== undefined && file === takenFile ? [taken.without] : []),
        ];
        const result = compile.call(this, statements.length === 0 ? code : withEnd(code, statements.join("\n")), file);
        resets.push((this as unknown as { reset?: () => void }).reset ?? (() => undefined));
        return result;
    };
    try {
        return { loaded: load(), names, resets };
    } finally {
        prototype._compile = compile;
    }
}

/** A destroy and a refresh don't run the program. In the plugin, only a program with this package is known. */
function runsProgram({ operation: { kind, wish } }: Host): boolean | undefined {
    const runs = ["preview", "up"].includes(kind);
    return wish.plugin === true ? (runs && wish.absent !== true) || undefined : runs;
}

/**
 * Loads the provider's verbs with another Kubernetes client, cancellation and log. All modules of the provider are
 * loaded again for this, so that other tests keep their own. With `taken`, the provider lacks this rule.
 */
export function loadProvider(clientNode: object, taken?: ProviderRule): LoadedProvider {
    const ours = () => Object.keys(require.cache).filter((file) => file.startsWith(PROVIDER + sep));
    const before = ours().map((file) => [file, require.cache[file]] as const);
    before.forEach(([file]) => delete require.cache[file]);
    const say = () => (line: string) => (processes.getStore() as Host).world.say(line);
    const printer = () => ({ tell: say(), flush: async () => undefined });
    const replacements: Record<string, object> = {
        "kubernetes/clientNode": clientNode,
        preload: { preload: () => undefined },
        "host/cancel": { cancellation: () => (processes.getStore() as Host).signal, engineAddress: () => [""] },
        "host/log": { debug: say, flushed: async () => undefined, printer, reporter: say, teller: say, warner: say },
        "host/program": { programRuns: async () => runsProgram(processes.getStore() as Host) },
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
        const load = () => ({
            verbs: Object.fromEntries(Object.entries(verbs).map(([type, one]) => [type, one()])),
            planJobs: require("../../../provider/plan/jobPlan").planJobs as typeof planJobs,
        });
        const { loaded, names, resets } = withResets(load, taken);
        return {
            verbs: (type) => loaded.verbs[type],
            planJobs: loaded.planJobs,
            forget: () => {
                resets.forEach((reset) => reset());
                // What the provider keeps for an operation outside its modules (contract/operation.ts).
                delete (globalThis as Record<symbol, unknown>)[OPERATIONS];
            },
            memory: names,
        };
    } finally {
        ours().forEach((file) => delete require.cache[file]);
        before.forEach(([file, module]) => (require.cache[file] = module));
    }
}
