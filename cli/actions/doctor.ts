import { foreignJson } from "../../provider/contract/foreignText";
import type { Kube } from "../../provider/kube/client";
import type { Arguments } from "../arguments";
import { examine, type Subject } from "../doctor/examination";
import { describeHealth, isHealthy, toJson } from "../doctor/print";
import { kubeOf, namespaceOf, targetOf } from "../target";
import { UsageError } from "../usage";

/** Says why a cluster hangs, or what a namespace lacks for one. Changes nothing. */
export async function doctor({ options }: Arguments): Promise<number> {
    const connected = connection(options);
    const { note, subject } = select(connected, options);
    const groups = await examine(connected, subject);
    const json = () => `${foreignJson(toJson(subject, note, groups), 2)}\n`;
    process.stdout.write(options.json ? json() : describeHealth(subject, note, groups));
    return isHealthy(groups) ? 0 : 1;
}

function connection(options: Arguments["options"]): Kube | Error {
    try {
        return kubeOf(options);
    } catch (error) {
        return error as Error;
    }
}

interface Selected {
    readonly subject: Subject;
    /** Why no cluster is examined. */
    readonly note?: string;
}

/** The cluster that the options or the stack select; if there is none, the namespace alone. */
function select(connected: Kube | Error, options: Arguments["options"]): Selected {
    if (connected instanceof Error) {
        return { subject: { namespace: options.namespace ?? "default", name: options.cluster } };
    }
    try {
        const { name, namespace, uid } = targetOf(options);
        return { subject: { name, namespace, uid } };
    } catch (error) {
        const isAsked = options.cluster !== undefined || options.stack !== undefined;
        if (isAsked || !(error instanceof UsageError)) {
            throw error;
        }
        return { subject: { namespace: namespaceOf(connected, options) }, note: error.message };
    }
}
