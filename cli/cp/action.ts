import { FLUX_CONTAINER } from "../../provider/contract/names";
import { attach, type Container } from "../../provider/kubernetes/streams/exec";
import { sentence } from "../../provider/kubernetes/failures/failure";
import { type Arguments, UsageError } from "../definition/arguments";
import { amountOf, ProgressRow } from "./progressRow";
import { withCopyPod } from "./copyPod";
import { FarCopy } from "../../provider/copy/far";
import { type Route, routeOf } from "./copyPlace";
import { type Copied, copyIn, copyOut } from "./transfer";
import { programName } from "../definition/programName";
import { rankOf } from "../target/ranks";
import { jobOf, type Target, targetOf } from "../target/target";
import { printJson, say } from "../terminal/terminal";

/** Exit codes of a copy that a signal has ended. */
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;

/** Copies a file or a folder out of a pod or into it. */
export async function cp({ options, words }: Arguments): Promise<number> {
    const route = routeOf(words[0], words[1], options.cluster as string | undefined);
    const isNew = options["new-pod"] === true;
    if (isNew && route.rank !== undefined) {
        throw new UsageError(
            `--new-pod is given, and rank ${route.rank}, of which a new pod has nothing. Leave one of them out.`,
        );
    }
    const target = await targetOf(route.cluster === undefined ? options : { ...options, cluster: route.cluster });
    const stop = new AbortController();
    let code: number | undefined;
    const interrupt = (name: keyof typeof INTERRUPTED) => {
        code = INTERRUPTED[name];
        stop.abort(new Error(`${name} has ended the copy`));
    };
    process.once("SIGINT", interrupt);
    process.once("SIGTERM", interrupt);
    try {
        const copied = isNew
            ? await withCopyPod(target.kube, await jobOf(target), stop.signal, (pod) =>
                  copyThrough(target, pod, route, stop.signal),
              )
            : await copyThrough(target, await podOf(target, route.rank ?? 0), route, stop.signal);
        report(copied, route, options.json === true);
        return 0;
    } catch (error) {
        if (code === undefined) {
            throw error;
        }
        say(sentence(error));
        return code;
    }
}

async function podOf(target: Target, rank: number): Promise<Container> {
    const { namespace } = target;
    const cure = `Give --new-pod: ${programName()} then copies through a new pod with the cluster's volumes`;
    const pod = await rankOf(target, rank).catch(async (error: Error) => {
        await jobOf(target);
        throw new Error(`${error.message} ${cure}`);
    });
    if (pod.phase !== "Running" || pod.terminated !== undefined) {
        throw new Error(`the pod of rank ${rank}, ${pod.name}, doesn't run (${pod.phase}). ${cure}`);
    }
    return { namespace, pod: pod.name, container: FLUX_CONTAINER };
}

async function copyThrough(
    { kube }: Target,
    container: Container,
    { from, isOut, to }: Route,
    signal: AbortSignal,
): Promise<Copied> {
    const far = new FarCopy((streams) => attach(kube, container, streams), `pod ${container.pod}`);
    const watch = new ProgressRow(process.stderr);
    try {
        return await (isOut ? copyOut : copyIn)({ far, from, to, watch, signal });
    } finally {
        watch.clear();
    }
}

function report(copied: Copied, { isOut }: Route, isJson: boolean): void {
    const { bytes, files, folders, links, sha256, skipped, target } = copied;
    if (isJson) {
        printJson({ target, bytes, files, folders, links, sha256, skipped });
        return;
    }
    skipped.forEach((line) => say(`${isOut ? "" : "not as it was: "}${line}`));
    const counted = `${files} ${files === 1 ? "file" : "files"}, ${amountOf(bytes)}`;
    process.stdout.write(`${counted}: ${target}\n`);
}
