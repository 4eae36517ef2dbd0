import type { Reader } from "../reader";

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

/** Warns of files, variables and hosts of the operator in the launcher's command. */
export function warnOfOwnNames(reader: Reader, job: string, path: string, text: string): void {
    const hosts = new RegExp(`(^|[^\\w.-])${job.replaceAll(/\W/g, "\\$&")}-(worker-\\d+|launcher)\\b`);
    const all = [...NAMES, [hosts, `the hosts are ${job}-0, ${job}-1 and so on`] as const];
    for (const [pattern, cure] of all) {
        const found = pattern.exec(text)?.[0].replace(/^[^\w/$]|\s$/g, "");
        if (found !== undefined) {
            reader.warn(path, `names ${found}, which only the MPI Operator's pods have; ${cure}.`);
        }
    }
}
