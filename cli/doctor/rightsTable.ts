import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { parseDocument, type YAMLMap, type YAMLSeq } from "yaml";

import type { Right } from "../../provider/kubernetes/accessReview";

/** A rule of docs/rbac.yaml or docs/rbac-fit.yaml. */
export interface Rule {
    readonly rights: readonly Right[];
    /** What needs the rule: its comment in the file. */
    readonly purpose: string;
    /** Without an optional rule, a MiniCluster works, but lacks what the purpose says. */
    readonly isOptional: boolean;
}

/** Comments of rules that a MiniCluster with default arguments can do without. */
const OPTIONAL = /^(?:Optional|Only for|For )|[Ww]ithout this right/;

/** The rules in a file of docs/. A rule without a comment has that of the rule before it. */
export function readRules(file: "rbac-fit.yaml" | "rbac.yaml", namespace?: string): Rule[] {
    const document = parseDocument(readFileSync(join(packageFolder(), "docs", file), "utf8"));
    const rules: Rule[] = [];
    const list = document.get("rules") as YAMLSeq<YAMLMap>;
    for (const node of list.items) {
        // The comment before the first rule is the list's.
        const purpose = textOf(node.commentBefore) || (rules.at(-1)?.purpose ?? textOf(list.commentBefore));
        const isOptional = file === "rbac-fit.yaml" || OPTIONAL.test(purpose);
        rules.push({ rights: rightsOf(node, namespace), purpose, isOptional });
    }
    return rules;
}

function rightsOf(node: YAMLMap, namespace: string | undefined): Right[] {
    const { apiGroups, resources, verbs } = node.toJSON() as Record<"apiGroups" | "resources" | "verbs", string[]>;
    return apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb, namespace }))),
    );
}

function textOf(comment: string | null | undefined): string {
    return (comment ?? "")
        .split("\n")
        .map((line) => line.trim())
        .join(" ");
}

/** The folder of this package, from its sources and from what is built of them. */
function packageFolder(): string {
    let folder = __dirname;
    while (!existsSync(join(folder, "docs", "rbac.yaml"))) {
        folder = dirname(folder);
    }
    return folder;
}
