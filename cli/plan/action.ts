import { foreignJson } from "../../provider/contract/foreignText";
import { type Arguments, UsageError } from "../definition/arguments";
import { planCluster } from "../../provider/plan/clusterPlan";
import { parseDigest } from "../../provider/plan/digest";
import { planJobs } from "../../provider/plan/jobPlan";
import { type Limits, summarize, violations } from "../../provider/plan/limits";
import { describePlan } from "./text";
import { readInput } from "../terminal/input";
import { programName } from "../definition/programName";
import { say } from "../terminal/terminal";

/** Exit code of a plan that exceeds a limit. */
const EXCEEDED = 3;

/** Says what an update or a destroy starts and ends, by the output of a preview. */
export async function plan({ options, words }: Arguments): Promise<number> {
    const limits = limitsOf(options);
    const { clusters, errors, jobs } = parseDigest(
        await readInput(words, `plan reads a preview: pulumi preview --json | ${programName()} plan`),
    );
    const access = {
        context: options.context as string | undefined,
        kubeconfig: options.kubeconfig as string | undefined,
    };
    const [planned, fluxJobs] = await Promise.all([
        Promise.all(clusters.map((change) => planCluster(change, access))),
        planJobs(jobs, access),
    ]);
    const all = summarize(planned, fluxJobs, errors);
    const exceeded = violations(all, limits);
    const json = () => `${foreignJson({ ...all, exceeded }, 2)}\n`;
    process.stdout.write(options.json ? json() : describePlan(all));
    exceeded.forEach((line) => say(line));
    if (exceeded.length > 0) {
        return EXCEEDED;
    }
    return errors.length > 0 ? 1 : 0;
}

function limitsOf(options: Arguments["options"]): Limits {
    const given = options["max-node-hours"] as string | undefined;
    const maxNodeHours = given === undefined ? undefined : Number(given);
    if (maxNodeHours !== undefined && !(given !== "" && maxNodeHours >= 0)) {
        throw new UsageError(`--max-node-hours is "${given}"; it must be a number, at least 0.`);
    }
    return { maxNodeHours, noKill: options["no-kill"] === true };
}
