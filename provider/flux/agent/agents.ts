import { keptByCopy } from "../../contract/operation";
import type { Kube } from "../../kubernetes/client";
import { orTold } from "../../kubernetes/failures/slowAnswer";
import type { Container, Executed } from "../../kubernetes/streams/exec";
import { Agent, type AgentCall } from "./agent";
import { isBusy } from "./failure";

/** Milliseconds that an agent without a request stays, and between two tries of a call for which the lead had no place. */
const LINGER = 5000;

/** Submissions at a time on one cluster: all others wait in this process, where they cost the lead nothing. */
const SUBMISSIONS = 8;

const agents = keptByCopy(() => new WeakMap<Kube, Map<string, Shared>>());

/** Asks the agent of this process in a lead, and starts it if there is none. */
export function askAgent(kube: Kube, lead: Container, call: AgentCall): Promise<Executed> {
    const shared = sharedOf(kube, `${lead.namespace}/${lead.pod}/${lead.container}`);
    const ask = async () => {
        // A call that is over keeps no agent.
        call.signal.throwIfAborted();
        return shared.request(kube, lead, call);
    };
    return call.words[0] === "submit" ? shared.inTurn(ask, call.signal) : ask();
}

function sharedOf(kube: Kube, place: string): Shared {
    const known = agents().get(kube) ?? new Map<string, Shared>();
    agents().set(kube, known);
    const shared = known.get(place) ?? new Shared();
    known.set(place, shared);
    return shared;
}

/** The agent in one lead, and the submissions that wait for their turn. */
class Shared {
    private agent: Agent | undefined;
    private timer: NodeJS.Timeout | undefined;
    private free = SUBMISSIONS;
    private readonly waiting: (() => void)[] = [];
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

    async inTurn<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
        signal.throwIfAborted();
        if (this.free > 0) {
            this.free--;
        } else {
            await orTold("the end of other submissions to the same cluster", this.turn(signal));
        }
        try {
            return await act();
        } finally {
            const next = this.waiting.shift();
            if (next === undefined) {
                this.free++;
            } else {
                next();
            }
        }
    }

    private turn(signal: AbortSignal): Promise<void> {
        return new Promise((resolve, reject) => {
            const begin = () => {
                signal.removeEventListener("abort", leave);
                resolve();
            };
            const leave = () => {
                this.waiting.splice(this.waiting.indexOf(begin), 1);
                reject(signal.reason as Error);
            };
            this.waiting.push(begin);
            signal.addEventListener("abort", leave, { once: true });
        });
    }
}
