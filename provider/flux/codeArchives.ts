import { pack } from "../code/pack";
import { archiveName, type JobCode } from "../contract/code/code";
import { keptByCopy } from "../contract/operation";
import type { Kube } from "../kubernetes/client";
import { CALL_TIMEOUT, Calls, complaint } from "./calls";
import { PUT_CODE_PROGRAM } from "./programs";

/** Bytes of a second, at least, over a connection that is worth waiting for. */
const SLOW = 100_000;

/** What this operation sends to leads now, by the lead and the archive. */
const sent = keptByCopy(() => new WeakMap<Kube, Map<string, Promise<void>>>());

/** The archives of code in a lead. */
export class CodeArchives extends Calls {
    /** Sends a code to the lead, unless another FluxJob of this operation is sending it. */
    async put(code: JobCode): Promise<void> {
        const known = sent().get(this.kube) ?? new Map<string, Promise<void>>();
        sent().set(this.kube, known);
        const place = `${this.lead.namespace}/${this.lead.pod}/${this.lead.container}/${code.hash}`;
        const sending = known.get(place) ?? this.send(code).finally(() => known.delete(place));
        known.set(place, sending);
        return sending;
    }

    /** The archive is complete or doesn't exist, however the call ends. */
    private async send(code: JobCode): Promise<void> {
        const packed = await pack(code);
        const words = ["put_code", PUT_CODE_PROGRAM, archiveName(code), code.hash, String(packed.length)];
        const { exitCode, stderr } = await this.call(words, CALL_TIMEOUT + packed.length / SLOW, packed);
        if (exitCode !== 0) {
            throw new Error(`the lead could not store its code: ${complaint(stderr) || `exit code ${exitCode}`}`);
        }
    }
}

/** The error of a submission whose code the lead doesn't have. */
export function noCode(): Error {
    return Object.assign(new Error("the lead doesn't have its code"), { lacksCode: true });
}

/** Submits a job. If the lead doesn't have its code, it gets the code, and the job is submitted once more. */
export async function withCode<T>(
    archives: CodeArchives,
    code: JobCode | undefined,
    submit: () => Promise<T>,
): Promise<T> {
    try {
        return await submit();
    } catch (error) {
        if (code === undefined || (error as { lacksCode?: boolean }).lacksCode !== true) {
            throw error;
        }
        await archives.put(code);
        return submit();
    }
}
