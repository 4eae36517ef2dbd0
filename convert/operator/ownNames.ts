import { CERTIFICATE_FILE, FLUX_URI, STATE_DIR } from "../../components/parts/paths";
import { type Fields, type Reader, textsIn } from "../reader";
import { namesOf } from "../../provider/contract/names";
import { RUN_DIR } from "../../provider/contract/paths";

/** The operator's headless Service until September 2025. Since then it has the name of the cluster by default. */
const FORMER_DEFAULT = "flux-service";

/** Fields without names of hosts, and the one that gives the name. */
const WITHOUT_HOSTS = ["headlessName", "image", "jobLabels", "pod"];

/** Warns of every text in a resource that names a host which only the Flux Operator's pods have. */
export function warnOfOwnHosts(reader: Reader, spec: Fields, name: string): void {
    const services = escaped(`${name}-services`);
    const given = spec.network?.headlessName || FORMER_DEFAULT;
    const headless = [...new Set([FORMER_DEFAULT, given])].filter((service) => service !== name).map(escaped);
    const patterns: readonly (readonly [pattern: RegExp, cure: string])[] = [
        [
            new RegExp(`(?<![\\w-])${services}\\.(?:${[...headless, escaped(name)].join("|")})(?![\\w-])`),
            `the services have the name ${namesOf(name).services} alone, before the namespace`,
        ],
        ...headless.map((service): readonly [RegExp, string] => [
            new RegExp(`(?<=[\\w})]["']?\\.["']?)${service}(?![\\w-])|(?<![\\w.-])${service}(?=\\.[\\w-]+\\.svc)`),
            `write ${name}, the name of the headless Service here`,
        ]),
    ];
    for (const [path, text] of textsIn("spec", spec, WITHOUT_HOSTS)) {
        const own = patterns.find(([pattern]) => pattern.test(text));
        if (own !== undefined) {
            const [pattern, cure] = own;
            reader.warn(path, `names the host ${pattern.exec(text)?.[0]}, which doesn't exist here; ${cure}.`);
        }
    }
}

function escaped(text: string): string {
    return text.replaceAll(/[^\w-]/g, "\\$&");
}

const CERTIFICATE = `the certificate is ${RUN_DIR}/${CERTIFICATE_FILE}, and broker.config needs no curve_cert`;
const RESOURCE_FILE = "remove resource.path: cores and the resources say what a rank has";
const SOCKET = `the socket is ${FLUX_URI}, and FLUX_URI names it already`;
const VIEW = "Flux is in the directories of view, /opt/view and /opt/software, or where the image has it";

/**
 * Paths that only the Flux Operator's pods have, and what to use instead. The first entry that matches is used. The
 * last entries are paths of v1alpha1 and of the operator's descendant in Kubeflow Trainer.
 */
const PATHS: readonly (readonly [path: string, cure: string])[] = [
    ["/mnt/flux/config/curve", CERTIFICATE],
    ["/mnt/flux/config/etc/curve", CERTIFICATE],
    ["/mnt/flux/config/etc/flux/system/R", RESOURCE_FILE],
    [
        "/mnt/flux/config/etc/flux/config",
        `the configuration is in ${RUN_DIR}/config, and broker is the argument for it`,
    ],
    ["/mnt/flux/config/run/flux", SOCKET],
    ["/mnt/flux/config/var/lib/flux", `the lead's state is in ${STATE_DIR}/state`],
    ["/mnt/flux/config", "broker is the argument for the configuration"],
    ["/mnt/flux/view", VIEW],
    ["/mnt/flux/software", VIEW],
    ["/mnt/flux/load-fluxion.sh", 'broker: { scheduler: "fluxion" } loads Fluxion'],
    ["/mnt/flux", "remove it: PATH and FLUX_URI are set in the pods"],
    ["/flux_operator/curve.cert", CERTIFICATE],
    ["/flux_operator", "remove it: command and hooks are the arguments for scripts"],
    ["/home/flux-operator", "use $HOME"],
    ["/tmp/custom-entrypoint.sh", "the script is the command itself"],
    ["/etc/flux/system/R", RESOURCE_FILE],
    ["/etc/flux/imp", "remove it: a cluster has one user, and needs no flux-imp"],
    ["/run/flux/local", SOCKET],
    ["/var/run/flux/local", SOCKET],
    ["/curve/curve.cert", CERTIFICATE],
    ["/curve", CERTIFICATE],
];

/** Directories that other images may have too. A file in them gets no warning, unless `PATHS` names it. */
const WITHOUT_CONTENT = ["/curve"];

/** An absolute path. A path right after a variable or a command substitution, quoted or not, is not absolute. */
const ABSOLUTE_PATH = /(?<![\w.~})-]|\$\w+["']|[})]["'])(?:\/[\w.-]+)+/g;

/**
 * Fields that are not searched: their paths are on a node or in an init container, another warning covers them, or
 * their text has no paths of the container.
 */
const WITHOUT_PATHS = ["hostPath", "container", "curveCert", "image", "items"];

/** Warns of every text in a resource that names a path which only the Flux Operator's pods have. */
export function warnOfOwnPaths(reader: Reader, spec: Fields): void {
    for (const [path, text] of textsIn("spec", spec, WITHOUT_PATHS)) {
        for (const [found, cure] of ownPaths(text)) {
            reader.warn(path, `names ${found}, which only the operator's pods have; ${cure}.`);
        }
    }
}

/**
 * The operator's own paths in a text, with their cures. If several paths have the same cure, only the first is
 * returned.
 */
function ownPaths(text: string): [string, string][] {
    const named = text.match(ABSOLUTE_PATH) ?? [];
    const found = named
        .map((path) => path.replace(/\.+$/, ""))
        .flatMap((path): [string, string][] => {
            const own = PATHS.find(([start]) => path === start || isInside(path, start));
            return own === undefined ? [] : [[path, own[1]]];
        });
    return found.filter(([, cure], index) => found.findIndex(([, other]) => other === cure) === index);
}

function isInside(path: string, folder: string): boolean {
    return path.startsWith(`${folder}/`) && !WITHOUT_CONTENT.includes(folder);
}

const RESOURCES = "remove it: Flux has the resources of all ranks, by the arguments or from the nodes";

/** Variables that only the operator's start script sets, and what to use instead. */
const VARIABLES: Readonly<Record<string, string>> = {
    asFlux: "remove it: everything runs as the user of the pod (user, securityContext)",
    asSudo: "remove it: everything runs as the user of the pod (user, securityContext)",
    brokerOptions: "give broker.attributes",
    FLUX_OUTPUT_DIR: "give it in environment, and make the directory in the hook pre",
    cfg: "broker is the argument for the configuration",
    configroot: "broker is the argument for the configuration",
    curvepath: "certificate is the argument for the certificate",
    curvesrc: "certificate is the argument for the certificate",
    flags: "the run options are arguments",
    fluxpath: "flux is on PATH",
    fluxroot: VIEW,
    fluxsocket: "use $FLUX_URI in the command; a hook runs before there is a socket",
    fluxuid: "use $(id -u)",
    fluxuser: "use $(id -un)",
    foundroot: VIEW,
    hosts: RESOURCES,
    mainHost: "use $MINICLUSTER_LEAD",
    node_spec: "the run options are arguments",
    pythonversion: "use python3",
    software: VIEW,
    STATE_DIR: "broker.attributes has the attribute statedir",
    viewbase: VIEW,
    viewbin: VIEW,
    viewroot: VIEW,
    workdir: "use $PWD",
};

/** Variables by which a hook changes the operator's start script. */
const SETTINGS = ["asFlux", "asSudo", "brokerOptions", "cfg", "command"];

/** Warns of variables of the operator's start script in a text for a shell. */
export function warnOfOwnVariables(reader: Reader, path: string, text: string): void {
    const code = text.replaceAll(/^\s*#.*$/gm, "");
    const set = assignedIn(code);
    const looped = new Set([...code.matchAll(/\bfor\s+(\w+)\s+in\b/g)].map(([, name]) => name));
    for (const name of SETTINGS.filter((setting) => set.has(setting))) {
        const cure = VARIABLES[name] ?? "give the command as the argument command";
        reader.warn(path, `sets ${name}, which only the operator's start script reads; ${cure}.`);
    }
    const own = Object.keys(VARIABLES).filter((name) => !set.has(name) && !looped.has(name));
    for (const name of own.filter((variable) => new RegExp(`\\$(\\{#?)?${variable}\\b`).test(code))) {
        reader.warn(path, `uses $${name}, which only the operator's start script sets; ${VARIABLES[name]}.`);
    }
}

/** The variables that a script sets. */
export function assignedIn(code: string): ReadonlySet<string> {
    const found = code.matchAll(/(?:^|[\s;&|(])(?:export\s+|local\s+|declare\s+)?(\w+)\+?=/g);
    return new Set([...found].map(([, name]) => name));
}
