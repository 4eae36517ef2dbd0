import { VARIABLE } from "../../components/rules/patterns";
import { LAUNCHER, mainContainer, type Replicas } from "./replicas";
import type { Fields, Reader, Values } from "../reader";
import { quoted } from "../shell";

/** The variables of the ranks. */
export interface Environment extends Variables {
    /** Variables that only the pod template can have. */
    readonly references: readonly Values[];
}

/** The variables of the workers and of the launcher, whose variables mpirun passes on. */
export function readEnvironments(reader: Reader, { launcher, path, worker }: Replicas): Environment {
    const ofRanks = readEnvironment(reader, `${mainContainer(path)}.env`, worker);
    if (launcher === worker) {
        return ofRanks;
    }
    const ofLauncher = readEnvironment(reader, `${mainContainer(LAUNCHER)}.env`, launcher);
    const differ = Object.keys(ofLauncher.plain).filter(
        (name) => Object.hasOwn(ofRanks.plain, name) && ofRanks.plain[name] !== ofLauncher.plain[name],
    );
    for (const name of differ) {
        const reason = "differs from the worker's value. All ranks have the launcher's, as mpirun would pass it on.";
        reader.warn(`${mainContainer(LAUNCHER)}.env`, `${name} ${reason} Remove one of them.`);
    }
    return merged(ofRanks, ofLauncher);
}

/** Variables of the launcher replace those of the workers. */
function merged(workers: Environment, launcher: Environment): Environment {
    const isOther = (of: Environment) => (name: string) =>
        !Object.hasOwn(of.plain, name) && !of.references.some((reference) => reference.name === name);
    const kept = Object.entries(workers.plain).filter(([name]) => isOther(launcher)(name));
    const references = workers.references.filter(({ name }) => isOther(launcher)(String(name)));
    return {
        plain: { ...Object.fromEntries(kept), ...launcher.plain },
        referenced: new Set([...references, ...launcher.references].map(({ name }) => String(name))),
        references: [...references, ...launcher.references],
    };
}

/** Variables that the operator's controller sets, and others that name what only its pods have. */
const OF_THE_OPERATOR = ["K_MPI_JOB_ROLE"];

function readEnvironment(reader: Reader, path: string, template: Fields): Environment {
    const plain: Record<string, string> = {};
    const referenced = new Set<string>();
    const references: Values[] = [];
    const list = (template.spec.containers[0].env ?? []) as Fields[];
    for (const [index, variable] of list.entries()) {
        const name = String(variable.name ?? "");
        const { hasReference, text } = expandVariables(String(variable.value ?? ""), { plain, referenced });
        if (OF_THE_OPERATOR.includes(name)) {
            reader.warn(`${path}[${index}]`, `is ${name}, which the MPI Operator sets itself. Remove it.`);
        } else if (variable.valueFrom === undefined && !hasReference && VARIABLE.test(name)) {
            plain[name] = text;
        } else {
            warnOfName(reader, `${path}[${index}]`, name);
            delete plain[name];
            referenced.add(name);
            references.push(variable);
        }
    }
    return { plain, referenced, references };
}

function warnOfName(reader: Reader, path: string, name: string): void {
    if (!VARIABLE.test(name)) {
        const reason = `is "${name}", a name that no shell can read: the brokers have the variable, and jobs may not.`;
        reader.warn(path, `${reason} Use letters, digits and _.`);
    }
}

/** Variables of a container. */
export interface Variables {
    /** Those whose values are in the resource. */
    readonly plain: Readonly<Record<string, string>>;
    /** Names of those that Kubernetes fills in each pod: from a Secret, for example. */
    readonly referenced: ReadonlySet<string>;
}

export interface Expanded {
    /** The text with the values of plain variables. */
    readonly text: string;
    /** True if the text has a variable that Kubernetes fills. */
    readonly hasReference: boolean;
    /** The text as a word of a shell that has the variables. */
    readonly raw: string;
}

/**
 * A text of a container's `env`, `command` or `args`, in which Kubernetes replaces `$(NAME)` by variables before it, and
 * `$$` by `$`. An unknown name stays as it is.
 */
export function expandVariables(text: string, { plain, referenced }: Variables): Expanded {
    const parts = text.split(/(\$\$|\$\(\w[\w.-]*\))/).map((part) => {
        const [, name] = /^\$\((.*)\)$/.exec(part) ?? [];
        if (name !== undefined && Object.hasOwn(plain, name)) {
            return { text: plain[name], isReference: false };
        }
        const isReference = name !== undefined && referenced.has(name);
        return { text: isReference ? `"\${${name}}"` : part === "$$" ? "$" : part, isReference };
    });
    const found = parts.filter((part) => part.text !== "");
    const isPlain = found.every(({ isReference }) => !isReference);
    const joined = found.map((part) => part.text).join("");
    return {
        text: joined,
        hasReference: !isPlain,
        raw: isPlain
            ? wordOf(joined)
            : found.map((part) => (part.isReference ? part.text : quoted(part.text))).join(""),
    };
}

/** A word of a shell; an empty one has quotes. */
export function wordOf(text: string): string {
    return text === "" ? "''" : quoted(text);
}
