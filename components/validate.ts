import { hostOf, LONGEST_LABEL, namesOf } from "../provider/contract/names";
import { RESTFUL_ENVIRONMENT, SCRIPT_ENVIRONMENT } from "../provider/contract/paths";
import { VARIABLE } from "./patterns";
import type { Problem } from "./problem";
import { isAmount } from "../provider/contract/quantity";
import type { MiniClusterSpec, RankResources } from "./spec";
import { noQuantity, validateAmounts } from "./validateAmounts";
import { validateArchive } from "./validateArchive";
import { validateAtLeast } from "./validateAtLeast";
import { validateKey, validateMunge } from "./validateKey";
import { validateNames } from "./validateNames";
import { validateNetwork } from "./validateNetwork";
import { validateRestful } from "./validateRestful";
import { validateServices } from "./validateServices";
import { validateUser } from "./validateUser";
import { validateView } from "./validateView";
import { validateSidecars } from "./validateSidecars";
import { validateTexts, validateWord } from "./validateTexts";
import { validateTolerations } from "./validateTolerations";
import { validateVolumes } from "./validateVolumes";

/** Everything that is wrong with a cluster, all at once; a list, so that no one has to mend it piece by piece. */
export function validate(spec: MiniClusterSpec): Problem[] {
    return [
        ...validateName(spec),
        ...validateSizes(spec),
        ...validateCommand(spec),
        ...validateQueue(spec),
        ...validateEnvironment(spec),
        ...validateResources(spec),
        ...validateBroker(spec),
        ...validateRestful(spec),
        ...validateArchive(spec),
        ...validateSidecars(spec),
        ...validateServices(spec),
        ...validateNumbers(spec),
        ...validateKey(spec),
        ...validateMunge(spec),
        ...validateNetwork(spec),
        ...validateUser(spec),
        ...validateView(spec),
        ...validateVolumes(spec),
        ...validateNames(spec),
        ...validateTolerations(spec),
        ...validateTexts(spec),
    ];
}

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

function validateName(spec: MiniClusterSpec): Problem[] {
    const { name } = spec;
    if (!LABEL.test(name)) {
        const rule = "lower-case letters, digits and '-', the first a letter, the last no '-'";
        return [{ property: "name", reason: `is "${name}"; Kubernetes takes ${rule}. Give a name of that form.` }];
    }
    const longest = [namesOf(name).lead, ...(spec.services.length > 0 ? [namesOf(name).services] : []), hostOf(name, spec.maxSize - 1)].sort((a, b) => b.length - a.length)[0];
    if (longest.length > LONGEST_LABEL) {
        const excess = longest.length - LONGEST_LABEL;
        const reason = `makes "${longest}", which has ${longest.length} characters; Kubernetes takes ${LONGEST_LABEL}.`;
        return [{ property: "name", reason: `${reason} Shorten it by ${excess}.` }];
    }
    return [];
}

/** A queue decides on suspension alone: `suspend` would have no effect, and the status would wait for it for ever. */
function validateQueue({ queue, suspend }: MiniClusterSpec): Problem[] {
    if (queue === undefined || !suspend) {
        return [];
    }
    const cure = "Remove suspend, and deactivate the Workload of the Job instead (spec.active: false), or remove queue.";
    return [{ property: "suspend", reason: `is true, and Kueue decides on the suspension of a Job in queue "${queue}". ${cure}` }];
}

/** KEP-3715 and the Job API allow more, but not with per-index status that still fits an object. */
const MOST_RANKS = 100_000;

function validateSizes(spec: MiniClusterSpec): Problem[] {
    const { maxSize, minSize, size } = spec;
    const problems: Problem[] = [];
    if (size < 1) {
        problems.push({ property: "size", reason: `is ${size}; a cluster has at least 1 rank. Use suspend to hold it.` });
    }
    if (size > maxSize) {
        problems.push({ property: "size", reason: `is ${size}, above maxSize ${maxSize}. Lower it or raise maxSize.` });
    }
    if (maxSize > MOST_RANKS) {
        problems.push({ property: size === maxSize ? "size" : "maxSize", reason: `is ${maxSize}; a Kubernetes Job takes up to ${MOST_RANKS} pods.` });
    }
    if (size >= 1 && (minSize < 1 || minSize > size)) {
        const reason = `is ${minSize}; quorum has to be between 1 and size ${size}, or it is never reached.`;
        problems.push({ property: "minSize", reason });
    }
    return problems;
}

function validateCommand(spec: MiniClusterSpec): Problem[] {
    const without = spec.mode === "persistent" ? validateNoCommand(spec) : [];
    return [...validateWords(spec.command), ...validateTaskNumbers(spec), ...without];
}

/** What no program can be started with. */
export function validateWords(command: readonly string[]): Problem[] {
    const problems = command.flatMap((word, index) => validateWord(`command[${index}]`, word));
    if (command[0] === "") {
        problems.push({ property: "command[0]", reason: "is empty; it must name a program." });
    }
    return problems;
}

/** Numbers of the command's tasks, where nothing makes tasks of them. */
function validateTaskNumbers({ coresPerTask, gpusPerTask, launcher, mode, tasks }: MiniClusterSpec): Problem[] {
    if (mode === "ephemeral" && !launcher) {
        return [];
    }
    const why = launcher ? "the launcher decides it" : "there is no command";
    return Object.entries({ tasks, coresPerTask, gpusPerTask }).flatMap(([property, value]) =>
        value === undefined ? [] : [{ property, reason: `is ${value}, but ${why}. Remove it.` }],
    );
}

function validateNoCommand({ launcher, waitFor }: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (launcher) {
        problems.push({ property: "launcher", reason: "is true, but there is no command to launch. Give a command." });
    }
    if (waitFor === "completed") {
        const reason = `is "completed", but a cluster without a command never completes. Use "ready".`;
        problems.push({ property: "waitFor", reason });
    }
    return problems;
}

/** Names of variables, and those that mean something to the scripts. */
export function validateEnvironment(spec: Pick<MiniClusterSpec, "environment" | "secretNames">): Problem[] {
    const own = [...Object.values(SCRIPT_ENVIRONMENT), ...Object.values(RESTFUL_ENVIRONMENT), "FLUX_URI", "JOB_COMPLETION_INDEX"];
    const taken = new Set<string>(own);
    return [...Object.keys(spec.environment), ...spec.secretNames].flatMap((name) => {
        const property = `environment.${name}`;
        if (!VARIABLE.test(name)) {
            return [{ property, reason: "is no name of a variable: letters, digits and '_', the first no digit." }];
        }
        const value = Object.hasOwn(spec.environment, name) ? spec.environment[name] : "";
        return taken.has(name) ? [{ property, reason: "is set by MiniCluster itself. Use another name." }] : validateWord(property, value);
    });
}

/** More than any machine has; Flux gets a list of them. */
const MOST_CORES = 65_536;

function validateResources(spec: MiniClusterSpec): Problem[] {
    const problems = validateAmounts(spec.resources, "resources");
    if (spec.rank !== undefined && spec.rank.cores > MOST_CORES) {
        problems.push({ property: "resources.limits.cpu", reason: `is "${spec.resources.limits.cpu}"; a rank has up to ${MOST_CORES} cores.` });
    }
    if (spec.sharedMemory !== undefined && !isAmount(spec.sharedMemory)) {
        problems.push(noQuantity("sharedMemory", spec.sharedMemory));
    }
    const runs = spec.mode === "ephemeral" && !spec.launcher;
    return [...problems, ...(runs && spec.rank !== undefined ? validateTasks(spec, spec.rank) : [])];
}

/** Flux would refuse such a job as unsatisfiable, but only after all pods are up. */
function validateTasks(spec: MiniClusterSpec, rank: RankResources): Problem[] {
    const { coresPerTask = 1, gpusPerTask = 0, size, tasks = size } = spec;
    if (size < 1 || tasks < 1) {
        return [];
    }
    const perRank = Math.ceil(tasks / Math.min(tasks, size));
    const need = { cores: perRank * coresPerTask, gpus: perRank * gpusPerTask };
    const problems: Problem[] = [];
    if (need.cores > rank.cores) {
        const reason = `${tasks} on ${size} ranks need ${need.cores} cores of each rank, and its limit gives it ${rank.cores}.`;
        problems.push({ property: "tasks", reason: `${reason} Lower tasks or coresPerTask, or raise size or limits.cpu.` });
    }
    if (need.gpus > rank.gpus) {
        const reason = `${tasks} tasks on ${size} ranks need ${need.gpus} GPUs of each rank, and its limits give ${rank.gpus}.`;
        problems.push({ property: "gpusPerTask", reason: `${reason} Lower it, or raise the GPUs in resources.limits.` });
    }
    return problems;
}

/** A Flux Standard Duration. @see https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_23.html */
const DURATION = /^(?:(?:\d+\.?\d*|\.\d+)(?:ms|s|m|h|d)?|inf|infinity)$/i;
const TOPOLOGY = /^(?:custom|binomial|kary:\d+|mincrit(?::\d+)?)$/;
const ATTRIBUTE = /^[A-Za-z0-9][-A-Za-z0-9_.]*$/;
/** Attributes that the start script sets; a second value would silently win or lose. */
const OWN_ATTRIBUTES = ["broker.quorum", "hostname", "local-uri", "log-stderr-level", "log-stderr-mode", "rundir", "statedir", "tbon.connect_timeout", "tbon.topo"];

function validateBroker(spec: MiniClusterSpec): Problem[] {
    const { attributes, connectTimeout, logLevel, port, topology } = spec.broker;
    const problems: Problem[] = [];
    if (logLevel < 0 || logLevel > 7) {
        problems.push({ property: "broker.logLevel", reason: `is ${logLevel}; levels go from 0 (emerg) to 7 (debug).` });
    }
    if (port < 1 || port > 65535) {
        problems.push({ property: "broker.port", reason: `is ${port}; ports go from 1 to 65535.` });
    }
    if (!DURATION.test(connectTimeout)) {
        const reason = `is "${connectTimeout}", which is no Flux duration. Write it like "2s" or "500ms".`;
        problems.push({ property: "broker.connectTimeout", reason });
    }
    if (topology !== undefined && !TOPOLOGY.test(topology)) {
        const reason = `is "${topology}"; Flux knows custom, kary:N, mincrit, mincrit:N and binomial.`;
        problems.push({ property: "broker.topology", reason });
    }
    return [...problems, ...Object.entries(attributes).flatMap(([name, value]) => validateAttribute(name, value))];
}

function validateAttribute(name: string, value: string): Problem[] {
    const property = `broker.attributes.${name}`;
    if (!ATTRIBUTE.test(name) || value.includes("\n")) {
        return [{ property, reason: "is no Flux attribute: letters, digits, '.', '-' and '_', on one line." }];
    }
    const own = OWN_ATTRIBUTES.includes(name);
    return own ? [{ property, reason: "is set by MiniCluster itself, from an argument of its own." }] : [];
}

function validateNumbers(spec: MiniClusterSpec): Problem[] {
    const { timeouts } = spec;
    return validateAtLeast([
        ["tasks", spec.tasks, 1],
        ["coresPerTask", spec.coresPerTask, 1],
        ["gpusPerTask", spec.gpusPerTask, 0],
        ["backoffLimit", spec.backoffLimit, 0],
        ["deadlineSeconds", spec.deadlineSeconds, 1],
        ["ttlSecondsAfterFinished", spec.ttlSecondsAfterFinished, 0],
        ["terminationGracePeriodSeconds", spec.terminationGracePeriodSeconds, 0],
        ["output.maxBytes", spec.output.maxBytes, 0],
        ...spec.tolerations.map((of, index): [string, number, number] => [`tolerations[${index}].tolerationSeconds`, of.tolerationSeconds, 0]),
        ...Object.entries(timeouts).map(([name, value]): [string, number, number] => [`timeouts.${name}`, value, 1]),
    ]);
}
