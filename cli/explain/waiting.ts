import { describeSeconds } from "../../provider/contract/quantity";
import { count, type Facts, find, type JobEvent, type Part } from "./facts";
import { shortage } from "./shortage";

/** Why a job has no resources yet, or doesn't start on those that it has. */
export function explainWaiting(facts: Facts, now: number): Part {
    const { events } = facts;
    if (find(events, "alloc") !== undefined) {
        return starting(events, now);
    }
    return dependencies(events) ?? held(facts) ?? unprioritized(events) ?? stopped(facts) ?? shortage(facts);
}

function starting(events: readonly JobEvent[], now: number): Part {
    const open = count(events, "prolog-start") - count(events, "prolog-finish");
    if (open <= 0) {
        return { reason: "running", sentences: ["It has its resources, and Flux starts its tasks."] };
    }
    const begun = events.findLast(({ name }) => name === "prolog-start");
    const description = begun?.context?.description as string | undefined;
    const since = describeSeconds(now - (begun?.timestamp ?? now));
    return {
        reason: "prolog",
        sentences: [
            `It has its resources, and waits for the prolog${description ? ` ${description}` : ""}, which has run for ${since}.`,
        ],
    };
}

function dependencies(events: readonly JobEvent[]): Part | undefined {
    if (find(events, "depend") !== undefined) {
        return undefined;
    }
    const descriptions = (name: string) =>
        events.filter((event) => event.name === name).map(({ context }) => String(context?.description ?? ""));
    const removed = descriptions("dependency-remove");
    const left = descriptions("dependency-add").filter((text) => !removed.includes(text));
    const sentences =
        left.length === 0
            ? ["Flux has accepted it, and has not checked its dependencies yet."]
            : left.map((text) => `It waits for ${dependency(text)}.`);
    return { reason: "dependency", sentences };
}

const ENDS: Readonly<Record<string, string>> = {
    after: "start",
    "after-start": "start",
    afterany: "end",
    "after-finish": "end",
    afterok: "success",
    "after-success": "success",
    afternotok: "failure",
    "after-failure": "failure",
};

/** Descriptions are such as `after-success=ƒ26Zqx` and `begin-time=1700000000.000`. */
function dependency(text: string): string {
    const [, scheme = "", value = ""] = /^([a-z-]+)[=:](.+)$/.exec(text) ?? [];
    if (Object.hasOwn(ENDS, scheme)) {
        return `the ${ENDS[scheme]} of job ${value.replace(/^ƒ/, "f")}`;
    }
    if (scheme === "begin-time" && Number(value) > 0) {
        return `its begin time, ${new Date(Number(value) * 1000).toISOString()}`;
    }
    return `the dependency ${text}`;
}

function held({ events, jobId }: Facts): Part | undefined {
    const said = events.findLast(({ context }) => typeof context?.urgency === "number");
    if (said?.context?.urgency !== 0) {
        return undefined;
    }
    return {
        reason: "held",
        sentences: [`It is held, because its urgency is 0. On the lead, flux job urgency ${jobId} 16 releases it.`],
    };
}

function unprioritized(events: readonly JobEvent[]): Part | undefined {
    return find(events, "priority") === undefined
        ? { reason: "priority", sentences: ["It waits for its priority, which a plugin of Flux' job manager decides."] }
        : undefined;
}

/** A queue that is disabled takes no new jobs, but starts those that it has. */
function stopped({ queue, wish }: Facts): Part | undefined {
    const line = queue?.find((text) => text.includes("Scheduling is stopped"));
    if (line === undefined) {
        return undefined;
    }
    const why = /Scheduling is stopped(?:: (.+))?/.exec(line)?.[1];
    const which = wish.queue === undefined ? "The queue is stopped" : `The queue ${wish.queue} is stopped`;
    const cure = `flux queue start${wish.queue === undefined ? "" : ` ${wish.queue}`}`;
    return {
        reason: "queueStopped",
        sentences: [`${which}${why === undefined ? "" : ` (${why})`}. On the lead, ${cure} starts it.`],
    };
}
