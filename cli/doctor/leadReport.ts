import { randomBytes } from "node:crypto";

import type { V1Pod } from "@kubernetes/client-node";

import { FIND_FLUX } from "../../provider/contract/paths";
import type { Kube } from "../../provider/kubernetes/client";
import { execute } from "../../provider/kubernetes/streams/exec";
import { hasCode, sentence } from "../../provider/kubernetes/failures/failure";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { summarize } from "../../provider/observe/pods/pod";
import { FACTS_REQUEST } from "./rankFacts";

/** What Flux says on rank 0: the lines of each request, or its error. */
export type LeadReport = Readonly<Record<Request, Said>>;

export interface Said {
    /** Of a failed request, what it has said before its end. */
    readonly lines: readonly string[];
    readonly error?: string;
    /** When the request began and ended, in seconds since 1970 by the lead's clock. */
    readonly began?: number;
    readonly ended?: number;
}

/** The requests to Flux. None of them changes anything. `!a` quotes the name of a job, which may contain line feeds. */
const REQUESTS = {
    overlay: ["overlay", "status", "--no-pretty"],
    drained: ["resource", "drain", "--no-header", "--format={ranks}\t{reason}"],
    queue: ["queue", "status"],
    pending: [
        "jobs",
        "-A",
        "--filter=pending",
        "--count=20",
        "--no-header",
        "--format={id.f58plain}\t{state}\t{urgency}\t{nnodes}\t{contextual_info}\t{name!a}",
    ],
    facts: FACTS_REQUEST,
} as const satisfies Record<string, readonly string[]>;

type Request = keyof typeof REQUESTS;

/** Seconds of each request, and of all together. */
const [EACH, ALL] = [15, 90];

/** The first word of the line that ends a request. Nothing that Flux prints can have it. */
export function newMark(): string {
    return `minicluster-doctor-${randomBytes(16).toString("hex")}`;
}

/** All requests in one command, so that one connection is enough. Each ends with a line of its exit code. */
const SCRIPT = [
    FIND_FLUX,
    // flux exec goes on after SIGTERM while a rank doesn't answer, and SIGKILL loses what it hasn't written yet.
    "lines=$(command -v stdbuf) && lines='stdbuf -oL'",
    'ask() { name=$1; shift; date "+began %s.%N"; said=$(timeout -k 2 "$SECONDS_EACH" $lines flux "$@" 2>&1); code=$?',
    'printf "%s\\n" "$said"; date "+ended %s.%N"; printf "%s\\n" "$MARK $name $code"; }',
    ...Object.entries(REQUESTS).map(([name, words]) => `ask ${name} ${words.map((word) => `'${word}'`).join(" ")}`),
].join("\n");

/** The command in the lead's pod. */
export function leadCommand(mark: string): string[] {
    return ["env", `MARK=${mark}`, `SECONDS_EACH=${EACH}`, "sh", "-c", SCRIPT];
}

/** Asks Flux in the lead's pod. A text is the reason why it can't be asked. */
export async function askLead(kube: Kube, namespace: string, pods: readonly V1Pod[]): Promise<LeadReport | string> {
    const pod = pods
        .map(summarize)
        .find(
            ({ deleting, phase, rank, startedAt }) =>
                rank === 0 && phase === "Running" && startedAt !== undefined && !deleting,
        );
    if (pod === undefined) {
        return "the lead doesn't run";
    }
    const container = { namespace, pod: pod.name, container: FLUX_CONTAINER };
    const mark = newMark();
    try {
        const { signal } = new AbortController();
        const { stderr, stdout } = await execute(kube, container, {
            command: leadCommand(mark),
            input: "",
            seconds: ALL,
            signal,
        });
        return stdout.includes(mark) ? parseReport(stdout, mark) : stderr.trim() || "the lead's shell printed nothing";
    } catch (error) {
        return hasCode(error, 403) ? `${sentence(error)} (docs/rbac.yaml)` : sentence(error);
    }
}

/** Reads the output of the script: lines, and after each request its name and exit code. */
export function parseReport(text: string, mark: string): LeadReport {
    const report: Partial<Record<string, Said>> = {};
    let lines: string[] = [];
    for (const line of text.split("\n")) {
        const [first, name, code] = line.split(" ");
        if (first !== mark) {
            lines.push(line);
            continue;
        }
        report[name] = saidIn(lines, code);
        lines = [];
    }
    const unsaid: Said = { lines: [], error: "it was not answered" };
    const entries = Object.keys(REQUESTS).map((name) => [name, report[name] ?? unsaid]);
    return Object.fromEntries(entries) as LeadReport;
}

const MOMENT = /^(began|ended) ([\d.]+)$/;

function saidIn(all: readonly string[], code: string): Said {
    const moments = all.flatMap((line) => {
        const [, name, time] = MOMENT.exec(line) ?? [];
        return name === undefined ? [] : [[name, Number(time)]];
    });
    const lines = all.filter((line) => line.trim() !== "" && !MOMENT.test(line));
    return { lines, ...(code === "0" ? {} : { error: errorOf(lines, code) }), ...Object.fromEntries(moments) } as Said;
}

/** The exit codes of `timeout`, after SIGTERM and after SIGKILL. */
function errorOf(said: readonly string[], code: string): string {
    return code === "124" || code === "137" ? `no answer within ${EACH} s` : said.join(" ") || `exit code ${code}`;
}
