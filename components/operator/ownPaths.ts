import { CERTIFICATE_FILE, FLUX_URI, RUN_DIR, STATE_DIR } from "../../provider/contract/paths";
import type { Fields, Reader } from "./reader";

const CERTIFICATE = `the certificate is ${RUN_DIR}/${CERTIFICATE_FILE}, and broker.config needs no curve_cert`;
const RESOURCES = "leave resource.path out: resources.limits says what a rank has";
const SOCKET = `the socket is ${FLUX_URI}, and FLUX_URI names it already`;
const VIEW = "Flux is in the folders of view, /opt/view and /opt/software, or where the image has it";

/**
 * What the Flux Operator's pods have, and what to write instead. The first entry that matches is used. The last ones are
 * those of its v1alpha1 and of its descendant in Kubeflow Trainer.
 */
const PATHS: readonly (readonly [path: string, cure: string])[] = [
    ["/mnt/flux/config/curve", CERTIFICATE],
    ["/mnt/flux/config/etc/curve", CERTIFICATE],
    ["/mnt/flux/config/etc/flux/system/R", RESOURCES],
    [
        "/mnt/flux/config/etc/flux/config",
        `the configuration is in ${RUN_DIR}/config, and broker is the argument for it`,
    ],
    ["/mnt/flux/config/run/flux", SOCKET],
    ["/mnt/flux/config/var/lib/flux", `the lead's state is in ${STATE_DIR}/state`],
    ["/mnt/flux/config", "broker is the argument for the configuration"],
    ["/mnt/flux/view", VIEW],
    ["/mnt/flux/software", VIEW],
    ["/mnt/flux/load-fluxion.sh", "load Fluxion by broker.config and hooks.lead"],
    ["/mnt/flux", "leave it out: PATH and FLUX_URI are set in the pods"],
    ["/flux_operator/curve.cert", CERTIFICATE],
    ["/flux_operator", "leave it out: command and hooks are the arguments for scripts"],
    ["/home/flux-operator", "use $HOME"],
    ["/tmp/custom-entrypoint.sh", "the script is the command itself"],
    ["/etc/flux/system/R", RESOURCES],
    ["/etc/flux/imp", "leave it out: a cluster has one user, and needs no flux-imp"],
    ["/run/flux/local", SOCKET],
    ["/var/run/flux/local", SOCKET],
    ["/curve/curve.cert", CERTIFICATE],
    ["/curve", CERTIFICATE],
];

/** Names that others may have, too: what is in such a folder is not the operator's. */
const WITHOUT_CONTENT = ["/curve"];

/** No path after a variable or a command's output, also a quoted one, is an absolute path. */
const ABSOLUTE_PATH = /(?<![\w.~})-]|\$\w+["']|[})]["'])(?:\/[\w.-]+)+/g;

/** Fields whose paths are of a node or of an init container, are warned of elsewhere, or are no text for people. */
const OTHERS = ["hostPath", "container", "curveCert", "image", "items"];

/** Warns of every text in a resource that names a path which only the Flux Operator's pods have. */
export function warnOfOwnPaths(reader: Reader, spec: Fields): void {
    for (const [path, text] of texts("spec", spec)) {
        for (const [found, cure] of ownPaths(text)) {
            reader.warn(path, `names ${found}, which only the operator's pods have; ${cure}.`);
        }
    }
}

/** Of several paths with one cure the first. */
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

function texts(path: string, value: unknown): [string, string][] {
    if (typeof value === "string") {
        return [[path, value]];
    }
    if (Array.isArray(value)) {
        return value.flatMap((item, index) => texts(`${path}[${index}]`, item));
    }
    const fields = Object.entries((value ?? {}) as Fields).filter(([name]) => !OTHERS.includes(name));
    return fields.flatMap(([name, field]) => texts(`${path}.${name}`, field));
}
