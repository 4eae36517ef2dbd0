import { CERTIFICATE_FILE, FLUX_URI, STATE_DIR } from "../../components/parts/paths";
import { RUN_DIR } from "../../provider/contract/paths";
import type { Fields, Reader } from "../reader";
import { textsIn } from "../texts";

const CERTIFICATE = `the certificate is ${RUN_DIR}/${CERTIFICATE_FILE}, and broker.config needs no curve_cert`;
const RESOURCES = "remove resource.path: cores and the resources say what a rank has";
const SOCKET = `the socket is ${FLUX_URI}, and FLUX_URI names it already`;
const VIEW = "Flux is in the directories of view, /opt/view and /opt/software, or where the image has it";

/**
 * Paths that only the Flux Operator's pods have, and what to use instead. The first entry that matches is used. The
 * last entries are paths of v1alpha1 and of the operator's descendant in Kubeflow Trainer.
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
    ["/mnt/flux/load-fluxion.sh", 'broker: { scheduler: "fluxion" } loads Fluxion'],
    ["/mnt/flux", "remove it: PATH and FLUX_URI are set in the pods"],
    ["/flux_operator/curve.cert", CERTIFICATE],
    ["/flux_operator", "remove it: command and hooks are the arguments for scripts"],
    ["/home/flux-operator", "use $HOME"],
    ["/tmp/custom-entrypoint.sh", "the script is the command itself"],
    ["/etc/flux/system/R", RESOURCES],
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
const OTHERS = ["hostPath", "container", "curveCert", "image", "items"];

/** Warns of every text in a resource that names a path which only the Flux Operator's pods have. */
export function warnOfOwnPaths(reader: Reader, spec: Fields): void {
    for (const [path, text] of textsIn("spec", spec, OTHERS)) {
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
