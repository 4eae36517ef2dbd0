import { type Fields, isEmpty, type Reader } from "../reader";
import { LAUNCHER, mainContainer } from "./replicas";

/** Fields of the launcher's pod that need no equal in the workers: the pod doesn't exist here, or they are read. */
const OF_THE_POD = [
    "containers",
    "hostname",
    "initContainers",
    "restartPolicy",
    "securityContext",
    "subdomain",
    "volumes",
];
const OF_THE_CONTAINER = [
    ...["args", "command", "env", "name", "ports", "resources", "securityContext", "volumeMounts", "workingDir"],
    ...["livenessProbe", "readinessProbe", "startupProbe"],
    ...["imagePullPolicy", "resizePolicy", "terminationMessagePath", "terminationMessagePolicy"],
];
const OF_THE_METADATA = ["creationTimestamp", "name", "namespace"];

const NO_POD = "There is no pod of a launcher here: its command runs on the ranks, with the workers' template.";

/** Warns of what only the launcher's pod has. */
export function warnOfLauncher(reader: Reader, launcher: Fields, worker: Fields): void {
    const path = `${LAUNCHER}.template`;
    const [main, ...others] = launcher.spec.containers as Fields[];
    compare(reader, `${path}.metadata`, { own: launcher.metadata, other: worker.metadata, without: OF_THE_METADATA });
    compare(reader, `${path}.spec`, { own: launcher.spec, other: worker.spec, without: OF_THE_POD });
    compare(reader, mainContainer(LAUNCHER), {
        own: main,
        other: worker.spec.containers[0],
        without: OF_THE_CONTAINER,
    });
    for (const [index, { name }] of ((launcher.spec.initContainers ?? []) as Fields[]).entries()) {
        const reason = `is "${name}", which is left out. ${NO_POD}`;
        reader.warn(
            `${path}.spec.initContainers[${index}]`,
            `${reason} Flux waits for the ranks; for other work, give hooks.lead.`,
        );
    }
    for (const [index, { name }] of others.entries()) {
        const reason = `is "${name}", which is left out. ${NO_POD}`;
        reader.warn(`${path}.spec.containers[${index + 1}]`, `${reason} Give sidecars with leadOnly, if it is needed.`);
    }
}

interface Compared {
    readonly own: Fields | undefined;
    readonly other: Fields | undefined;
    readonly without: readonly string[];
}

function compare(reader: Reader, path: string, { other, own = {}, without }: Compared): void {
    for (const [name, value] of Object.entries(own).filter(([field]) => !without.includes(field))) {
        if (!isEmpty(value) && JSON.stringify(value) !== JSON.stringify(other?.[name])) {
            const shown =
                typeof value === "string" ? `is "${value}", unlike the workers'.` : "differs from the workers'.";
            reader.warn(`${path}.${name}`, `${shown} ${NO_POD} Give it to the workers, if the ranks need it.`);
        }
    }
}
