import type { V1Pod } from "@kubernetes/client-node";

import { FIND_FLUX } from "../../provider/contract/paths";
import type { Kube } from "../../provider/kube/client";
import { execute } from "../../provider/kube/exec";
import { hasCode, sentence } from "../../provider/kube/failure";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { summarize } from "../../provider/pods/pod";

/** What Flux says on rank 0: the lines of each request, or its error. */
export type LeadReport = Readonly<Record<Request, Said>>;

export interface Said {
    readonly lines: readonly string[];
    readonly error?: string;
}

/** The requests to Flux. None of them changes anything. The name of a job is last, because it may contain tabs. */
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
        "--format={id.f58plain}\t{state}\t{urgency}\t{nnodes}\t{contextual_info}\t{name}",
    ],
} as const satisfies Record<string, readonly string[]>;

type Request = keyof typeof REQUESTS;

/** Seconds of each request, and of all together. */
const [EACH, ALL] = [15, 75];

const MARK = "minicluster-doctor";

/** All requests in one command, so that one connection is enough. Each ends with a line of its exit code. */
const SCRIPT = [
    FIND_FLUX,
    'ask() { name=$1; shift; said=$(timeout "$SECONDS_EACH" flux "$@" 2>&1); printf "%s\\n%s\\n" "$said" "$MARK $name $?"; }',
    ...Object.entries(REQUESTS).map(([name, words]) => `ask ${name} ${words.map((word) => `'${word}'`).join(" ")}`),
].join("\n");

/** The command in the lead's pod. */
export function leadCommand(): string[] {
    return ["env", `MARK=${MARK}`, `SECONDS_EACH=${EACH}`, "sh", "-c", SCRIPT];
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
    try {
        const { signal } = new AbortController();
        const { stderr, stdout } = await execute(kube, container, {
            command: leadCommand(),
            input: "",
            seconds: ALL,
            signal,
        });
        return stdout.includes(MARK) ? parseReport(stdout) : stderr.trim() || "the lead's shell printed nothing";
    } catch (error) {
        return hasCode(error, 403) ? `${sentence(error)} (docs/rbac.yaml)` : sentence(error);
    }
}

/** Reads the output of the script: lines, and after each request its name and exit code. */
export function parseReport(text: string): LeadReport {
    const report: Partial<Record<string, Said>> = {};
    let lines: string[] = [];
    for (const line of text.split("\n")) {
        const [mark, name, code] = line.split(" ");
        if (mark !== MARK) {
            lines.push(line);
            continue;
        }
        const said = lines.filter((each) => each.trim() !== "");
        report[name] = code === "0" ? { lines: said } : { lines: [], error: errorOf(said, code) };
        lines = [];
    }
    const unsaid: Said = { lines: [], error: "it was not answered" };
    const entries = Object.keys(REQUESTS).map((name) => [name, report[name] ?? unsaid]);
    return Object.fromEntries(entries) as LeadReport;
}

/** 124 is the exit code of `timeout`. */
function errorOf(said: readonly string[], code: string): string {
    return code === "124" ? `no answer within ${EACH} s` : said.join(" ") || `exit code ${code}`;
}
