import { type Fields, filled, needless, type Reader, type Values } from "../reader";
import { mainContainer, type Replicas } from "./replicas";

/** Fields that only the pod template can have. */
const TEMPLATE =
    "envFrom lifecycle resizePolicy stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices";

/** Ports of sshd. */
const SSH_PORTS = [22, 2222];

/** Reads the container that runs sshd in a worker, and Flux here. */
export function readContainer(
    reader: Reader,
    { launcher, path: replicas, worker }: Replicas,
): {
    readonly args: Values;
    readonly template: Values;
} {
    const path = mainContainer(replicas);
    const main = worker.spec.containers[0] as Fields;
    const args: Values = {};
    const template: Values = {};
    const isWorker = launcher !== worker;
    reader.read(main, {
        ...Object.fromEntries(TEMPLATE.split(" ").map((name) => [name, (value: unknown) => (template[name] = value)])),
        ...Object.fromEntries(
            PROBES.map((name) => [name, (probe: Fields) => warnOfProbe(reader, `${path}.${name}`, probe)]),
        ),
        args: needless,
        command: needless,
        env: needless,
        image: (value) => (args.image = value),
        imagePullPolicy: (value) => (args.imagePullPolicy = value || undefined),
        name: needless,
        ports: (ports: Fields[]) => (template.ports = portsWithoutSsh(ports)),
        resources: ({ claims, ...amounts }: Fields) => {
            args.resources = filled(amounts);
            template.resources = claims && { claims };
        },
        restartPolicy: reader.without(`${path}.restartPolicy`, RESTARTS),
        restartPolicyRules: reader.without(`${path}.restartPolicyRules`, RESTARTS),
        securityContext: needless,
        volumeMounts: needless,
        workingDir: (value) => (args.workingDir = value || undefined),
    });
    // mpirun starts its processes in its own directory.
    args.workingDir = launcher.spec.containers[0].workingDir || args.workingDir;
    if (main.image === undefined) {
        throw new Error(`${reader.placed(`${path}.image`)} is missing. Give the image of the workers.`);
    }
    if (isWorker) {
        warnOfProgram(reader, path, main);
    }
    if (main.envFrom !== undefined) {
        const reason = "are variables of podTemplate, which flux run copies into the jobspec. For secret ones,";
        reader.warn(`${path}.envFrom`, `${reason} give environment with pulumi.secret, or env with valueFrom.`);
    }
    return { args, template };
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const RESTARTS = "has no counterpart: a broker that ends is restarted or ends the pod by itself. Remove it.";

function portsWithoutSsh(ports: readonly Fields[]): Values[] | undefined {
    return filled(ports.filter(({ containerPort }) => !SSH_PORTS.includes(containerPort)));
}

function warnOfProbe(reader: Reader, path: string, { exec, tcpSocket }: Fields): void {
    const isSsh = SSH_PORTS.includes(Number(tcpSocket?.port)) || /ssh/.test(JSON.stringify(exec ?? ""));
    if (!isSsh) {
        reader.warn(
            path,
            "has no counterpart: the ranks have probes of their own. For a check at the start, give preflight.",
        );
    }
}

/** Warns of a program of the workers, unless it is sshd alone: here brokers run in place of it. */
function warnOfProgram(reader: Reader, path: string, { args = [], command = [] }: Fields): void {
    const words = [...(command as string[]), ...(args as string[])];
    const [program = "sshd", ...rest] = words;
    const isSsh = /(^|\/)sshd$/.test(program) || isShellOfSsh(program, rest);
    if (!isSsh) {
        const reason = "is not run: here each rank runs Flux in place of the worker's sshd.";
        reader.warn(
            `${path}.${command.length > 0 ? "command" : "args"}`,
            `${reason} For what it prepares, give hooks.pre.`,
        );
    }
}

/** True for a shell whose only command is sshd. */
function isShellOfSsh(program: string, words: readonly string[]): boolean {
    const script = words.at(-1) ?? "";
    return (
        /(^|\/)(ba|da|a)?sh$/.test(program) &&
        /^\s*(exec\s+)?(\/[\w/]*\/)?sshd(\s+-[\w.=/-]+|\s+\/[\w./-]+)*\s*$/.test(script)
    );
}
