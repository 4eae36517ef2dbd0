import type { ProgramSpec } from "../parts/program";
import { validateAmounts } from "./amounts";
import { NOT_A_VARIABLE } from "./environment";
import { requireImage, validateImage } from "./names";
import { DNS_LABEL, VARIABLE } from "./patterns";
import { broken, type Problem } from "./problem";
import { validateWord } from "./command";

/** Checks containers that don't run Flux: names, images, variables, commands and resources. */
export function validatePrograms(kind: "services" | "sidecars", programs: readonly ProgramSpec[]): Problem[] {
    return programs.flatMap((program, index) => {
        const property = `${kind}[${index}]`;
        const twice = program.name !== undefined && programs.slice(0, index).some(({ name }) => name === program.name);
        const reason = `is "${program.name}", which is already the name of another container. Change one of them.`;
        return [
            ...validateName(program, property),
            ...validateVariables(program, property, kind === "sidecars" ? ["FLUX_URI", "JOB_COMPLETION_INDEX"] : []),
            ...validateAmounts(program.resources, `${property}.resources`),
            ...requireImage(`${property}.image`, program.image),
            ...validateImage(`${property}.image`, program.image),
            ...program.command.flatMap((word, position) => validateWord(`${property}.command[${position}]`, word)),
            ...(twice ? [{ property: `${property}.name`, reason }] : []),
        ];
    });
}

function validateName({ name }: ProgramSpec, property: string): Problem[] {
    const isWrong = !DNS_LABEL.test(name ?? "") || name === "flux" || name.startsWith("flux-");
    const rule = "a DNS label that isn't flux and doesn't start with flux-, because such names belong to the cluster";
    const is = name === undefined ? "is missing" : `is "${name}"`;
    return broken([[isWrong, `${property}.name`, `${is}; it must be ${rule}.`]]);
}

function validateVariables({ environment }: ProgramSpec, property: string, own: readonly string[]): Problem[] {
    return Object.entries(environment).flatMap(([name, value]) => {
        if (own.includes(name)) {
            return [
                {
                    property: `${property}.environment.${name}`,
                    reason: "is set by MiniCluster itself. Use another name.",
                },
            ];
        }
        return VARIABLE.test(name)
            ? validateWord(`${property}.environment.${name}`, value)
            : [{ property: `${property}.environment.${name}`, reason: NOT_A_VARIABLE }];
    });
}
