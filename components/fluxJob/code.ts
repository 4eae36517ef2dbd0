import type { JobCode } from "../../provider/contract/code/code";
import type { RunOptions } from "../../provider/contract/runOptions";
import { type FolderSpec, noticesOfFolder, problemsOfFolder } from "../features/code";
import type { Problem } from "../rules/problem";

/** The arguments that the rules of the code concern. */
interface CodeJob extends RunOptions {
    readonly code?: FolderSpec;
}

export function validateCode({ code, shellOptions = {} }: CodeJob): Problem[] {
    const options = Object.keys(shellOptions).filter((name) => /^stage-in(\.|$)/.test(name));
    const reason = "is given, but code needs this option of Flux itself. Remove it, or put its files into code.source.";
    return code === undefined
        ? []
        : [
              ...options.map((name) => ({ property: `shellOptions["${name}"]`, reason })),
              ...problemsOfFolder(code, "all users who may run commands in the lead's pod"),
          ];
}

export function noticesOfCode({ code }: CodeJob): Problem[] {
    const cost = (packed: string) => `${packed} packed. Each rank keeps all files in memory while the job runs`;
    return code === undefined ? [] : noticesOfFolder(code, cost);
}

/** The code as an input. ConfigMaps, among which it could be divided, are those of a cluster. */
export function codeInput({ code }: CodeJob): JobCode | undefined {
    const { parts: _parts, ...ofJob } = code?.found.code ?? {};
    return "hash" in ofJob ? ofJob : undefined;
}
