import { isAllowed, type Right } from "../../provider/kubernetes/accessReview";
import type { Kube } from "../../provider/kubernetes/client";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { fail, type Finding, ok, unchecked, warn } from "./finding";
import { readRules, type Rule } from "./rightsTable";

/** Reviews that are requested at the same time. */
const AT_ONCE = 8;

/** The answers of the API server about rights of the user, by `keyOf`. */
export type Answers = ReadonlyMap<string, boolean>;

export const CREATE_PODS = { group: "", resource: "pods", verb: "create" };

export interface RightsFound {
    readonly findings: readonly Finding[];
    readonly answers: Answers;
}

/** Whether the user has the rights of docs/rbac.yaml and docs/rbac-fit.yaml. */
export async function checkRights(kube: Kube, namespace: string): Promise<RightsFound> {
    const rules = rulesFor(namespace);
    try {
        const answers = await review(
            kube,
            rules.flatMap(({ rights }) => rights),
        );
        return { findings: judgeRights(rules, answers, namespace), answers };
    } catch (error) {
        const text = `the API server reviews no access: ${sentence(error)}`;
        return { findings: [unchecked(text)], answers: new Map() };
    }
}

/** What is lacking of the rules, by the answers. */
export function judgeRights(rules: readonly Rule[], answers: Answers, namespace: string): Finding[] {
    const findings = rules.flatMap((rule) => missing(rule, answers, namespace));
    const all = `all ${answers.size} rights of docs/rbac.yaml and docs/rbac-fit.yaml`;
    return findings.length === 0 ? [ok(all)] : findings;
}

/** The rules of both files. */
export function rulesFor(namespace: string): Rule[] {
    return [...readRules("rbac.yaml", namespace), ...readRules("rbac-fit.yaml")];
}

export function keyOf({ group, namespace, resource, verb }: Right): string {
    return `${namespace ?? ""} ${group} ${resource} ${verb}`;
}

async function review(kube: Kube, rights: readonly Right[]): Promise<Answers> {
    const answers = new Map<string, boolean>();
    const waiting = [...new Map(rights.map((right) => [keyOf(right), right])).values()];
    const work = async (): Promise<void> => {
        for (let right = waiting.pop(); right !== undefined; right = waiting.pop()) {
            answers.set(keyOf(right), await isAllowed(kube, right));
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return answers;
}

function missing({ isOptional, purpose, rights }: Rule, answers: Answers, namespace: string): Finding[] {
    const lacking = rights.filter((right) => answers.get(keyOf(right)) !== true);
    if (lacking.length === 0) {
        return [];
    }
    const isEverywhere = lacking[0].namespace === undefined;
    const where = isEverywhere ? "in all namespaces" : `in namespace ${namespace}`;
    const text = `no right to ${describe(lacking)} ${where}. ${purpose}`;
    const cure = isEverywhere
        ? "if you need it, let an administrator bind the ClusterRole of docs/rbac-fit.yaml to you"
        : `let an administrator bind the Role of docs/rbac.yaml to you: kubectl apply -n ${namespace} -f docs/rbac.yaml`;
    return [isOptional ? warn(text, cure) : fail(text, cure)];
}

/** `get, list of services; create of pods`. */
function describe(rights: readonly Right[]): string {
    const byResource = new Map<string, string[]>();
    for (const { group, resource, verb } of rights) {
        const name = group === "" ? resource : `${resource}.${group}`;
        byResource.set(name, [...(byResource.get(name) ?? []), verb]);
    }
    return [...byResource].map(([name, verbs]) => `${verbs.join(", ")} ${name}`).join("; ");
}
