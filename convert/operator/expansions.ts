import { assignedIn } from "./ownVariables";
import type { Part } from "./quoted";
import type { Fields, Reader } from "../reader";
import type { Version } from "./schema/fields";

/** Where a command runs. */
export interface Place {
    readonly container: Fields;
    /** True if the command runs on one rank only, the lead. */
    readonly isOnLead: boolean;
    readonly version: Version;
}

/** Variables with the same value in each task and on the lead. */
const STABLE = ["HOME", "PATH", "PWD", "USER"];

/** Signs by which a shell would do something, and that are letters in the operator's commands. */
const SIGNS: Readonly<Record<Version, RegExp>> = { v1alpha1: /["'`$|;&<>()\\]/g, v1alpha2: /['|;&<>()\\]/g };

/** Warns of signs of a shell that the operator passes on to the program. */
export function warnOfSigns(reader: Reader, path: string, text: string, version: Version): void {
    const passed =
        version === "v1alpha1"
            ? text.replaceAll(/\$\$|\$\(\w+\)/g, "")
            : text
                  .replaceAll(/\\[$`"\\\n]/g, "")
                  .replaceAll(/`(?:\\[^]|[^\\`])*`/g, "")
                  .replaceAll(/\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}/g, "");
    const signs = [...new Set(passed.match(SIGNS[version]) ?? [])].join(" ");
    if (signs !== "") {
        const reason = `has ${signs}, which no shell reads: the operator passes them on in the words, and so does this.`;
        reader.warn(path, `${reason} For a shell, give the command as a script.`);
    }
}

/** Warns of tags that Flux replaces in the words of a job. In the words of a MiniCluster it replaces none. */
export function warnOfTags(reader: Reader, path: string, parts: readonly Part[], { isOnLead, container }: Place): void {
    const texts = parts.filter(({ isExpansion }) => !isExpansion).map(({ text }) => text);
    const tags = [...new Set(texts.join(" ").match(/\{\{[^{}\s]+\}\}/g) ?? [])].join(" ");
    if (tags !== "" && !container.launcher) {
        const where = isOnLead ? "" : " of each task";
        const reason = `has ${tags}, which Flux replaces with the operator. Here the words stay as they are.`;
        reader.warn(path, `${reason} Use variables${where}, such as $FLUX_JOB_ID or $FLUX_TASK_RANK, in a script.`);
    }
}

/** Warns of patterns of files that may have other results in the tasks. */
export function warnOfPatterns(
    reader: Reader,
    path: string,
    patterns: readonly string[],
    { container, isOnLead }: Place,
): void {
    if (patterns.length > 0 && !isOnLead && !container.launcher) {
        const reason = `has ${patterns.join(" ")}, which the operator compares with the lead's files.`;
        reader.warn(path, `${reason} Here each task does so on its own rank; write the names if the files differ.`);
    }
}

/** Warns of variables and commands that may have another value when the command starts than when the pod starts. */
export function warnOfExpansions(reader: Reader, path: string, parts: readonly Part[], place: Place): void {
    const code = parts
        .filter(({ isExpansion }) => isExpansion)
        .map(({ text }) => text)
        .join(" ");
    const names = [...code.matchAll(/\$\{?[#!]?(\w+)/g)].map(([, name]) => name);
    const odd = [...new Set(names.filter((name) => isOdd(name, place)))].map((name) => `$${name}`);
    const { launcher } = place.container;
    const shown = [...odd, ...(!launcher && /\$\(|`/.test(code) ? ["the output of a command"] : [])].join(" and ");
    if (shown !== "") {
        const reason = `has ${shown}, which the operator expands once, on the lead, when its pod starts.`;
        const here = launcher ? "Here it is expanded when the command starts" : "Here each task expands it";
        reader.warn(path, `${reason} ${here}; write the value itself if that differs.`);
    }
}

function isOdd(name: string, { container }: Place): boolean {
    const { brokerPre, pre } = (container.commands ?? {}) as Fields;
    if (assignedIn(`${pre ?? ""}\n${brokerPre ?? ""}`).has(name)) {
        return true;
    }
    return container.launcher
        ? name.startsWith("FLUX_") || name === "JOB_COMPLETION_INDEX"
        : !STABLE.includes(name) && !isGiven(name, container);
}

function isGiven(name: string, { environment, secrets }: Fields): boolean {
    return Object.hasOwn({ ...(environment as object), ...(secrets as object) }, name);
}
