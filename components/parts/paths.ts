import { ARCHIVE_DIR, RUN_DIR } from "../../provider/contract/paths";

/** Folder of broker.toml, from the ConfigMap. */
export const CONFIG_DIR = "/etc/flux/config";
/** Name of the brokers' configuration in the ConfigMap and in its folder. */
export const BROKER_CONFIG_FILE = "broker.toml";
/** Name of the user's further configuration. Flux reads the files in the order of their names: broker.toml wins. */
export const EXTRA_CONFIG_FILE = "added.toml";
/** Folder of the scripts, from the ConfigMap. */
export const SCRIPTS_DIR = "/etc/flux-minicluster";
/** Folder on disk: rank 0's content store. */
export const STATE_DIR = "/var/lib/flux";
/** Folder of the files that an init container prepares for the broker's container. */
export const PREPARED_DIR = "/run/flux-minicluster/prepared";
/** Folder of a token of the service account, in the one container that needs it. */
export const TOKEN_DIR = "/run/flux-minicluster/token";
/** Folder of the code's parts, from their ConfigMaps. */
export const CODE_PARTS_DIR = "/run/flux-minicluster/code";
/** Folder of the CURVE certificate, from the Secret. */
export const CURVE_DIR = "/etc/curve";
/** Folder in memory of a certificate that the pods make themselves. */
export const MADE_CURVE_DIR = "/mnt/curve";
/** Name of the certificate, in Secrets and in folders. */
export const CERTIFICATE_FILE = "curve.cert";
export const PASSWD_FILE = "/etc/passwd";
export const GROUP_FILE = "/etc/group";
/** File of the pod that has the lead Service's address. */
export const HOSTS_FILE = "/etc/hosts";
/** File of a container's termination message, which Kubernetes keeps and JobStatus reads. */
export const TERMINATION_LOG = "/dev/termination-log";
/** URI by which `flux` finds the broker of its own pod, also in `kubectl exec`. */
export const FLUX_URI = `local://${RUN_DIR}/broker/local`;
/** Folder of the MUNGE key, where munged looks for it. */
export const MUNGE_DIR = "/etc/munge";
/** Folder of munged's socket: that of its Debian and Red Hat packages. */
export const MUNGE_SOCKET_DIR = "/run/munge";
/** Folder of the RESTful server's keys, from the Secret. */
export const RESTFUL_DIR = "/etc/flux-restful";
/** Folder of the RESTful server's certificate, from the user's Secret. */
export const RESTFUL_TLS_DIR = "/etc/flux-restful-tls";

/** Paths in the Flux container that the cluster uses itself. */
export const OWN_PATHS = [
    ARCHIVE_DIR,
    CODE_PARTS_DIR,
    CONFIG_DIR,
    SCRIPTS_DIR,
    CURVE_DIR,
    MADE_CURVE_DIR,
    RESTFUL_DIR,
    RESTFUL_TLS_DIR,
    RUN_DIR,
    STATE_DIR,
    "/dev/shm",
    TERMINATION_LOG,
];

/** An absolute path as a container runtime takes it. */
export function plainPath(path: string): string {
    const names: string[] = [];
    for (const name of path.split("/")) {
        if (name === "..") {
            names.pop();
        } else if (name !== "" && name !== ".") {
            names.push(name);
        }
    }
    return `/${names.join("/")}`;
}
