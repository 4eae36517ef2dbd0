import { keptByCopy } from "../../contract/operation";
import type { Kube } from "../../kubernetes/client";
import type { Container, Executed } from "../../kubernetes/streams/exec";
import { Agent, type AgentCall } from "./agent";
import { Turns } from "../turns";
import { isBusy } from "./failure";

/** Milliseconds that an agent without a request stays, and between two tries of a call for which the lead had no place. */
const LINGER = 5000;

/** Submissions at a time on one cluster: all others wait in this process, where they cost the lead nothing. */
const SUBMISSIONS = 8;

/** Programs for arrays at a time on one cluster. */
const ARRAY_PROGRAMS = 2;

const agents = keptByCopy(() => new WeakMap<Kube, Map<string, Shared>>());

/** Asks the agent of this process in a lead, and starts it if there is none. */
export function askAgent(kube: Kube, lead: Container, call: AgentCall): Promise<Executed> {
    const shared = sharedIn(kube, lead);
    const ask = async () => {
        // A call that is over keeps no agent.
        call.signal.throwIfAborted();
        return shared.request(kube, lead, call);
    };
    return call.words[0] === "submit" ? shared.submissions.take(ask, call.signal) : ask();
}

/** The turns of the calls for arrays, each of which runs a program in the lead. */
export function arrayTurns(kube: Kube, lead: Container): Turns {
    return sharedIn(kube, lead).arrays;
}

function sharedIn(kube: Kube, { container, namespace, pod }: Container): Shared {
    const place = `${namespace}/${pod}/${container}`;
    const known = agents().get(kube) ?? new Map<string, Shared>();
    agents().set(kube, known);
    const shared = known.get(place) ?? new Shared();
    known.set(place, shared);
    return shared;
}

/** The agent in one lead, and the turns of this process there. */
class Shared {
    private agent: Agent | undefined;
    private timer: NodeJS.Timeout | undefined;
    readonly submissions = new Turns(SUBMISSIONS, "the end of other submissions to the same cluster");
    readonly arrays = new Turns(ARRAY_PROGRAMS, "the calls of other arrays of the same cluster");
    /** The calls for which the lead had no place, by name, with the time of the next try on the monotonic clock. */
    private readonly refused = new Map<string, { readonly error: unknown; readonly until: number }>();

    async request(kube: Kube, lead: Container, call: AgentCall): Promise<Executed> {
        const name = call.words[0];
        const last = this.refused.get(name);
        if (last !== undefined && performance.now() < last.until) {
            // An agent for each try would hold the place, or start again and again.
            throw last.error;
        }
        try {
            return await this.agentIn(kube, lead).request(call);
        } catch (error) {
            if (isBusy(error)) {
                this.refused.set(name, { error, until: performance.now() + LINGER });
            }
            throw error;
        }
    }

    private agentIn(kube: Kube, lead: Container): Agent {
        clearTimeout(this.timer);
        if (this.agent === undefined || this.agent.failure !== undefined) {
            const agent = new Agent(kube, lead);
            agent.onIdle = () => {
                clearTimeout(this.timer);
                this.timer = setTimeout(() => agent.isIdle && agent.close(), agent.wasBusy ? 0 : LINGER);
            };
            this.agent = agent;
        }
        return this.agent;
    }
}
