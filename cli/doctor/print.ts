import { foreignLine } from "../../provider/contract/foreignText";
import { isFancy } from "../terminal/terminal";
import type { Group, Subject } from "./examination";
import type { Finding, Level } from "./finding";

const LABELS: Readonly<Record<Level, string>> = { fail: "fail", ok: "ok", unchecked: "not checked", warn: "warn" };
const COLOURS: Readonly<Record<Level, number>> = { fail: 31, ok: 32, unchecked: 2, warn: 33 };
const WIDTH = "not checked".length;

/** The result as a text for people. */
export function describeHealth(subject: Subject, note: string | undefined, groups: readonly Group[]): string {
    const { name, namespace } = subject;
    const head = name === undefined ? `A MiniCluster in namespace ${namespace}` : `MiniCluster ${namespace}/${name}`;
    const notes = note === undefined ? [] : [note];
    const body = groups.flatMap((group) => [group.name, ...group.findings.flatMap(lines)]);
    return `${[head, ...notes, ...body, summary(groups)].join("\n")}\n`;
}

function lines({ cure, level, text }: Finding): string[] {
    const label = LABELS[level].padEnd(WIDTH);
    const painted = isFancy(process.stdout) ? `\u001b[${COLOURS[level]}m${label}\u001b[0m` : label;
    const indent = " ".repeat(WIDTH + 4);
    return [
        `  ${painted}  ${foreignLine(text)}`,
        ...(cure === undefined ? [] : [`${indent}cure: ${foreignLine(cure)}`]),
    ];
}

function summary(groups: readonly Group[]): string {
    const count = (level: Level) => groups.flatMap(({ findings }) => findings).filter((each) => each.level === level);
    const [failed, warned, left] = (["fail", "warn", "unchecked"] as const).map((level) => count(level).length);
    const first = groups.find(({ findings }) => findings.some(({ level }) => level === "fail"))?.name;
    const others = `${warned} warned, ${left} not checked`;
    return first === undefined
        ? `No check failed (${others}).`
        : `${failed} ${failed === 1 ? "check" : "checks"} failed (${others}). Begin with ${first}: what follows may be its consequence.`;
}

/** The result for programs; docs/command-line.md describes it. */
export function toJson(subject: Subject, note: string | undefined, groups: readonly Group[]): object {
    const { name = null, namespace } = subject;
    const checks = groups.flatMap((group) => group.findings.map((finding) => ({ group: group.name, ...finding })));
    return { namespace, cluster: name, ...(note === undefined ? {} : { note }), healthy: isHealthy(groups), checks };
}

/** True if no check has failed. */
export function isHealthy(groups: readonly Group[]): boolean {
    return groups.every(({ findings }) => findings.every(({ level }) => level !== "fail"));
}
