import { readCommand } from "./command";
import { readEnvironments } from "./environment";
import { warnOfImplementation } from "./implementation";
import { warnOfLauncher } from "./launcher";
import { warnOfOwnNamesInPods } from "./ownNames";
import { readPod } from "./pod";
import { LAUNCHER, mainContainer, readReplicas, WORKER } from "./replicas";
import { readRunPolicy } from "./runPolicy";
import { spreadTasks } from "./tasks";
import { type Fields, filled, given, needless, type Reader, type Values } from "../reader";
import { VIEW, withTemplate } from "../template";

/** What the conversion needs to know besides the MPIJob's spec. */
interface Around {
    readonly fluxInImage: boolean;
    readonly name: string;
}

/** Reads the `spec` of an MPIJob, whose types have been checked, as arguments of a MiniCluster. */
export function readSpec(reader: Reader, spec: Fields, { fluxInImage, name }: Around): Values {
    const replicas = readReplicas(reader, spec);
    const { launcher, worker } = replicas;
    const environment = readEnvironments(reader, replicas);
    const { args, ...parts } = readPod(reader, replicas);
    const implementation = spec.mpiImplementation ?? "OpenMPI";
    const own = { job: name, sshPath: spec.sshAuthMountPath || SSH_PATH };
    const run = readCommand(reader, { environment, implementation, own, replicas });
    warnOfOwnNamesInPods(reader, own, replicas);
    const all: Values = {
        size: replicas.size,
        ...args,
        ...run.args,
        environment: { ...environment.plain, ...run.environment },
    };
    readTop(reader, spec, all);
    readView(reader, all, { fluxInImage, path: `${mainContainer(replicas.path)}.image` });
    warnOfImplementation(reader, { command: run.args, environment: all.environment, implementation });
    if (launcher !== worker) {
        warnOfLauncher(reader, launcher, worker);
    }
    spreadTasks(reader, all, run.started);
    const env = given({ env: filled([...environment.references]) });
    return withTemplate(given({ ...all, environment: filled(all.environment) }), {
        ...parts,
        container: { ...parts.container, ...env },
    });
}

/** The default of the MPI Operator. */
const SSH_PATH = "/root/.ssh";

const IMPLEMENTATIONS = ["OpenMPI", "Intel", "MPICH"];

/** Reads the other fields of `spec`. */
function readTop(reader: Reader, spec: Fields, args: Values): void {
    reader.read(spec, {
        mpiReplicaSpecs: needless,
        runLauncherAsWorker: needless,
        slotsPerWorker: needless,
        // Flux starts the tasks without ssh, and the command when the ranks have joined.
        sshAuthMountPath: needless,
        launcherCreationPolicy: needless,
        mpiImplementation: (value) => {
            if (!IMPLEMENTATIONS.includes(value)) {
                const reason = `is "${value}", which the MPI Operator refuses. It is read as MPICH`;
                reader.warn("spec.mpiImplementation", `${reason}; give OpenMPI, Intel or MPICH.`);
            }
        },
        runPolicy: needless,
    });
    readRunPolicy(reader, spec.runPolicy ?? {}, args);
    const { restartPolicy = "Never" } = spec.mpiReplicaSpecs.Worker ?? {};
    if (restartPolicy !== "Never") {
        const reason = `is ${restartPolicy}; here the Job replaces a failed pod, as often as backoffLimit allows.`;
        reader.warn(`${WORKER}.restartPolicy`, `${reason} Give backoffLimit, if that is too often or too seldom.`);
    }
    const { replicas = 1 } = spec.mpiReplicaSpecs.Launcher;
    if (replicas !== 1) {
        const reason = `is ${replicas}, which the MPI Operator refuses. The command runs once`;
        reader.warn(`${LAUNCHER}.replicas`, `${reason}; write 1.`);
    }
}

/** An image of an MPIJob has no Flux, unless the user says that it has. */
export function readView(
    reader: Reader,
    args: Values,
    { fluxInImage, path }: { readonly fluxInImage: boolean; readonly path: string },
): void {
    if (!fluxInImage) {
        args.view = { ...VIEW };
        const reason = `has no Flux if it was made for the MPI Operator. So Flux comes from ${VIEW.image} (Ubuntu 24.04)`;
        const needs = "the image needs bash and a glibc that isn't older";
        reader.warn(path, `${reason} by view; ${needs}. If the image has Flux, set fluxInImage.`);
    }
}
