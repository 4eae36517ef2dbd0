import { type Fields, type Reader, textsIn } from "../reader";
import { LAUNCHER, mainContainer, type Replicas } from "./replicas";

/** Names that only the pods of the MPI Operator have, and what to use instead. */
const NAMES: readonly (readonly [pattern: RegExp, cure: string])[] = [
    [/\/etc\/mpi\/hostfile\b/, "Flux knows its ranks; for their names, flux resource list -no '{nodelist}'"],
    [/\/etc\/mpi\/discover_hosts\.sh\b/, "Flux knows its ranks; for their names, flux resource list -no '{nodelist}'"],
    [/\$\{?OMPI_MCA_orte_default_hostfile\b/, "Flux knows its ranks; remove it"],
    [/\$\{?OMPI_MCA_orte_set_default_slots\b/, "write the number"],
    [/\$\{?(I_MPI_HYDRA_HOST_FILE|HYDRA_HOST_FILE)\b/, "Flux knows its ranks; remove it"],
    [/\$\{?I_MPI_PERHOST\b/, "write the number"],
    [/\$\{?K_MPI_JOB_ROLE\b/, "the command runs on the lead; remove it"],
    [/(^|[\s;&|(])ssh\s/, "flux exec runs a command on the other ranks"],
];

/** What is known of an MPIJob's own names. */
export interface Own {
    readonly job: string;
    /** Where the operator mounts the keys of ssh. */
    readonly sshPath: string;
}

/** Warns of files, variables and hosts of the operator in a text. */
export function warnOfOwnNames(reader: Reader, { job, sshPath }: Own, path: string, text: string): void {
    const hosts = new RegExp(`(^|[^\\w.-])${escaped(job)}-(worker-\\d+|launcher)\\b`);
    const keys = new RegExp(`(^|[^\\w.-])${escaped(sshPath)}(?![\\w-])`);
    const all = [
        ...NAMES,
        [hosts, `the hosts are ${job}-0, ${job}-1 and so on`] as const,
        [keys, "Flux needs no keys of ssh; remove it"] as const,
    ];
    for (const [pattern, cure] of all) {
        const found = pattern.exec(text)?.[0].replace(/^[^\w/$]|\s$/g, "");
        if (found !== undefined) {
            reader.warn(path, `names ${found}, which only the MPI Operator's pods have; ${cure}.`);
        }
    }
}

/** Fields of containers without names of the ranks' hosts and files. */
const OTHERS = ["hostPath", "image", "name", "volumeMounts"];

/** Warns of such names in the ranks' containers and in the launcher's variables. Its command is read elsewhere. */
export function warnOfOwnNamesInPods(reader: Reader, own: Own, { launcher, path, worker }: Replicas): void {
    const pod = `${path}.template.spec`;
    const { containers, initContainers } = worker.spec as Fields;
    const [{ args: _, command: __, ...main }, ...others] = containers as Fields[];
    const texts = [
        ...textsIn(mainContainer(path), main, OTHERS),
        ...others.flatMap((container, index) => textsIn(`${pod}.containers[${index + 1}]`, container, OTHERS)),
        ...textsIn(`${pod}.initContainers`, initContainers, OTHERS),
        ...(launcher === worker
            ? []
            : textsIn(`${mainContainer(LAUNCHER)}.env`, (launcher.spec.containers as Fields[])[0].env, OTHERS)),
    ];
    texts.forEach(([place, text]) => warnOfOwnNames(reader, own, place, text));
}

function escaped(text: string): string {
    return text.replaceAll(/[^\w-]/g, "\\$&");
}
