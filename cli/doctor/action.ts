import { foreignJson } from "../../provider/contract/foreignText";
import type { Kube } from "../../provider/kubernetes/client";
import { sentence } from "../../provider/kubernetes/failures/failure";
import type { Summary } from "../../provider/observe/summary";
import type { Arguments } from "../definition/arguments";
import { examine, type Group, type Subject } from "./examination";
import { describeHealth, isHealthy, toJson } from "./print";
import { kubeOf, namespaceOf, selected } from "../target/target";

/** Says why a cluster hangs, or what a namespace lacks for one. Changes nothing. */
export async function doctor({ options }: Arguments): Promise<number> {
    const connected = connection(options);
    const { note, subjects } = await select(connected, options);
    const { groups, subject } = await firstWithFault(connected, subjects);
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

interface Selection {
    /** Of several ones, the first with a fault is told. */
    readonly subjects: readonly [Subject, ...Subject[]];
    /** Why no cluster, or this one, is examined. */
    readonly note?: string;
}

/** The cluster that the options or the stack select. Else those of the namespace that aren't well, or the namespace alone. */
async function select(connected: Kube | Error, options: Arguments["options"]): Promise<Selection> {
    if (connected instanceof Error) {
        return { subjects: [{ namespace: options.namespace ?? "default", name: options.cluster }] };
    }
    const namespace = namespaceOf(connected, options);
    try {
        const found = await selected(options);
        if ("target" in found) {
            const { note, target } = found;
            return { subjects: [{ name: target.name, namespace: target.namespace, uid: target.uid }], note };
        }
        const suspects = found.others.filter(isSuspect).map(({ name, uid }) => ({ namespace, name, uid }));
        const [first, ...others] = suspects.length > 0 ? suspects : [{ namespace }];
        return { subjects: [first, ...others], note: found.problem };
    } catch (error) {
        // Without a cluster by name or stack, the doctor says why the API server lists none.
        if (options.cluster !== undefined || options.stack !== undefined) {
            throw error;
        }
        return { subjects: [{ namespace }], note: `No MiniCluster is selected: ${sentence(error)}` };
    }
}

/** The phases of a cluster that is well, as its Job alone describes it. */
const WELL = ["asleep", "ready", "succeeded"];

function isSuspect({ phase }: Summary): boolean {
    return !WELL.includes(phase);
}

interface Examined {
    readonly subject: Subject;
    readonly groups: readonly Group[];
}

async function firstWithFault(connected: Kube | Error, [subject, ...others]: Selection["subjects"]): Promise<Examined> {
    const groups = await examine(connected, subject);
    const [next, ...rest] = others;
    return isHealthy(groups) && next !== undefined ? firstWithFault(connected, [next, ...rest]) : { subject, groups };
}
