import { pack } from "../../code/pack";
import { archiveName, type JobCode } from "../../contract/code/code";
import { keptByCopy } from "../../contract/operation";
import type { Kube } from "../../kubernetes/client";
import type { Container } from "../../kubernetes/streams/exec";
import { CALL_TIMEOUT, Calls } from "../calls";
import { PUT_CODE_PROGRAM } from "../programs";

/** Bytes of a second, at least, over a connection that is worth waiting for. */
const SLOW = 100_000;

/** What this operation sends to one lead. */
interface Sendings {
    /** By the hash of the code. */
    readonly known: Map<string, Promise<void>>;
    /** The last one to be sent. */
    last: Promise<void>;
}

const leads = keptByCopy(() => new WeakMap<Kube, Map<string, Sendings>>());

/** The archives of code in a lead. */
export class CodeArchives extends Calls {
    /** Sends a code to the lead, after all others for this lead, unless another FluxJob of this operation is sending it. */
    put(code: JobCode): Promise<void> {
        const sendings = this.sendings();
        const { known, last } = sendings;
        const sending = known.get(code.hash);
        if (sending !== undefined) {
            return sending;
        }
        // Calls at the same time share the bandwidth, but the timeout of a call is for a code that has it alone.
        sendings.last = last
            .catch(() => undefined)
            .then(() => this.send(code))
            .finally(() => known.delete(code.hash));
        known.set(code.hash, sendings.last);
        return sendings.last;
    }

    private sendings(): Sendings {
        const ofKube = leads().get(this.kube) ?? new Map<string, Sendings>();
        leads().set(this.kube, ofKube);
        const place = `${this.lead.namespace}/${this.lead.pod}/${this.lead.container}`;
        const sendings = ofKube.get(place) ?? { known: new Map(), last: Promise.resolve() };
        ofKube.set(place, sendings);
        return sendings;
    }

    /** The archive is complete or doesn't exist, however the call ends. */
    private async send(code: JobCode): Promise<void> {
        const packed = await pack(code);
        const words = ["put_code", PUT_CODE_PROGRAM, archiveName(code), code.hash, String(packed.length)];
        await this.text(words, CALL_TIMEOUT + packed.length / SLOW, "the lead could not store its code", packed);
    }
}

/** The error of a submission whose code the lead doesn't have. */
export function noCode(): Error {
    return Object.assign(new Error("the lead doesn't have its code"), { lacksCode: true });
}

/** Submits a job. If the lead doesn't have its code, it gets the code, and the job is submitted once more. */
export async function withCode<T>(
    { kube, lead, signal }: { readonly kube: Kube; readonly lead: Container; readonly signal: AbortSignal },
    code: JobCode | undefined,
    submit: () => Promise<T>,
): Promise<T> {
    try {
        return await submit();
    } catch (error) {
        if (code === undefined || (error as { lacksCode?: boolean }).lacksCode !== true) {
            throw error;
        }
        await new CodeArchives(kube, lead, signal).put(code);
        return submit();
    }
}
