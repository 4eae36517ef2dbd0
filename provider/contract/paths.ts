/** Paths in the container, ports and the environment of the scripts; each is declared here and nowhere else. */

/** Folder of broker.toml, from the ConfigMap. */
export const CONFIG_DIR = "/etc/flux/config";
/** Name of the brokers' configuration in the ConfigMap and in its folder. */
export const BROKER_CONFIG_FILE = "broker.toml";
/** Name of the user's further configuration. Flux reads the files in the order of their names: broker.toml wins. */
export const EXTRA_CONFIG_FILE = "added.toml";
/** Folder of the scripts, from the ConfigMap. */
export const SCRIPTS_DIR = "/etc/flux-minicluster";
/** Folder of the CURVE certificate, from the Secret. */
export const CURVE_DIR = "/etc/curve";
/** Name of the certificate, in Secrets and in folders. */
export const CERTIFICATE_FILE = "curve.cert";
/** Folder in memory of a certificate that the pods make themselves. */
export const MADE_CURVE_DIR = "/mnt/curve";
/** Folder of a token of the service account, in the one container that needs it. */
export const TOKEN_DIR = "/run/flux-minicluster/token";
/** Folder in memory: sockets, the rank's environment, a private copy of the certificate. */
export const RUN_DIR = "/run/flux";
/** Folder on disk: rank 0's content store. */
export const STATE_DIR = "/var/lib/flux";
/** Folder of the files that an init container prepares for the broker's container. */
export const PREPARED_DIR = "/run/flux-minicluster/prepared";
/** Home of a user without an account in the image. */
export const HOME_DIR = `${STATE_DIR}/home`;
export const PASSWD_FILE = "/etc/passwd";
export const GROUP_FILE = "/etc/group";
/** File of the pod that has the lead Service's address. */
export const HOSTS_FILE = "/etc/hosts";
/** File of a container's termination message, which Kubernetes keeps and JobStatus reads. */
export const TERMINATION_LOG = "/dev/termination-log";
/** URI by which `flux` finds the broker of its own pod, also in `kubectl exec`. */
export const FLUX_URI = `local://${RUN_DIR}/broker/local`;

/** Folder of the commands of Flux that submit jobs, in a form that keeps a rank's own variables out of jobspecs. */
export const COMMANDS_DIR = `${RUN_DIR}/commands`;

/** File of PATH and similar variables that the start script sets for its broker. */
const PATHS_FILE = `${RUN_DIR}/paths.env`;
/**
 * Code for sh and bash by which a command in a pod finds the same Flux as the pod's broker. A pod of an earlier
 * version, or one that has just started, doesn't have PATHS_FILE, but may have a view.
 */
export const FIND_FLUX = `if [ -e ${PATHS_FILE} ]; then . ${PATHS_FILE}; else PATH=$PATH\${MINICLUSTER_VIEW:+:$MINICLUSTER_VIEW/bin}; fi`;

/** Folder of the MUNGE key, where munged looks for it. */
export const MUNGE_DIR = "/etc/munge";
/** Folder of munged's socket: that of its Debian and Red Hat packages. */
export const MUNGE_SOCKET_DIR = "/run/munge";
/** Name of the MUNGE key in Secrets. */
export const MUNGE_KEY = "munge.key";

/** Mount path of the archive, a volume that outlives the cluster. */
export const ARCHIVE_DIR = "/var/lib/flux-archive";
/** Folder of the RESTful server's keys, from the Secret. */
export const RESTFUL_DIR = "/etc/flux-restful";
/** Folder of the RESTful server's certificate, from the user's Secret. */
export const RESTFUL_TLS_DIR = "/etc/flux-restful-tls";
/** Folder on disk: a RESTful server that is installed at start. */
export const RESTFUL_INSTALL_DIR = `${STATE_DIR}/restful`;
/** Default TCP port of the RESTful server: flux-restful's own default. */
export const RESTFUL_PORT = 5000;
/** Version whose hashes are in restful-requirements.txt; also the oldest version that works. */
export const RESTFUL_VERSION = "1.1.0";

/** Oldest flux-core that works; checked by start.sh. */
export const MINIMUM_FLUX = "0.72";
/** Oldest Kubernetes that works: from this version on, Job successPolicy is on by default. */
export const MINIMUM_KUBERNETES = "1.31";

/** Environment variables of a command that may be started again. */
export const ATTEMPT_ENVIRONMENT = {
    /** The number of the attempt, from 1 on. */
    attempt: "MINICLUSTER_ATTEMPT",
    /** Why it was started: `start`, `rank-loss`, `lead-loss` or `failure`. */
    reason: "MINICLUSTER_ATTEMPT_REASON",
} as const;
