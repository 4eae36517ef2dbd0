/** Paths in the container, ports and the environment of the scripts; each is declared here and nowhere else. */

/** Folder of broker.toml, from the ConfigMap. */
export const CONFIG_DIR = "/etc/flux/config";
/** Folder of the scripts, from the ConfigMap. */
export const SCRIPTS_DIR = "/etc/flux-minicluster";
/** Folder of the CURVE certificate, from the Secret. */
export const CURVE_DIR = "/etc/curve";
/** Name of the certificate, in Secrets and in folders. */
export const CERTIFICATE_FILE = "curve.cert";
/** Folder in memory of a certificate that the pods make themselves. */
export const MADE_CURVE_DIR = "/mnt/curve";
/** Folder of the token with which an init container reads the key. */
export const TOKEN_DIR = "/run/flux-minicluster/token";
/** Folder in memory: sockets, the rank's environment, a private copy of the certificate. */
export const RUN_DIR = "/run/flux";
/** Folder on disk: rank 0's content store. */
export const STATE_DIR = "/var/lib/flux";
/** Folder of what an init container prepares for the broker's. */
export const PREPARED_DIR = "/run/flux-minicluster/prepared";
/** Home of a user that the image doesn't know. */
export const HOME_DIR = `${STATE_DIR}/home`;
export const PASSWD_FILE = "/etc/passwd";
export const GROUP_FILE = "/etc/group";
/** Where the pod knows the lead Service's address from. */
export const HOSTS_FILE = "/etc/hosts";
/** What a container leaves for Kubernetes to keep; JobStatus reads it. */
export const TERMINATION_LOG = "/dev/termination-log";
/** Where `flux` finds the broker of its own pod, also from `kubectl exec`. */
export const FLUX_URI = `local://${RUN_DIR}/broker/local`;

/** TCP port of the brokers unless another is given: Flux's own default for system instances. */
export const BROKER_PORT = 8050;

/** Oldest flux-core that works; checked by wait.sh. */
export const MINIMUM_FLUX = "0.72";
/** Oldest Kubernetes that works: Job successPolicy is on by default from here on. */
export const MINIMUM_KUBERNETES = "1.31";

/** Environment that the scripts read. A test compares it with what they really read. */
export const SCRIPT_ENVIRONMENT = {
    address: "MINICLUSTER_ADDRESS",
    attributes: "MINICLUSTER_ATTRIBUTES",
    certificate: "MINICLUSTER_CERTIFICATE",
    cluster: "MINICLUSTER_CLUSTER",
    config: "MINICLUSTER_CONFIG",
    coresPerTask: "MINICLUSTER_CORES_PER_TASK",
    detectHosts: "MINICLUSTER_DETECT_HOSTS",
    exclusive: "MINICLUSTER_EXCLUSIVE",
    gpusPerTask: "MINICLUSTER_GPUS_PER_TASK",
    group: "MINICLUSTER_GROUP",
    home: "MINICLUSTER_HOME",
    hostname: "MINICLUSTER_HOSTNAME",
    hosts: "MINICLUSTER_HOSTS",
    hostsPort: "MINICLUSTER_HOSTS_PORT",
    keySecret: "MINICLUSTER_KEY_SECRET",
    launcher: "MINICLUSTER_LAUNCHER",
    lead: "MINICLUSTER_LEAD",
    logLevel: "MINICLUSTER_LOG_LEVEL",
    minimumFlux: "MINICLUSTER_MINIMUM_FLUX",
    mode: "MINICLUSTER_MODE",
    nodes: "MINICLUSTER_NODES",
    passwd: "MINICLUSTER_PASSWD",
    prepared: "MINICLUSTER_PREPARED",
    quorum: "MINICLUSTER_QUORUM",
    rankEnvironment: "MINICLUSTER_RANK_ENVIRONMENT",
    run: "MINICLUSTER_RUN",
    scripts: "MINICLUSTER_SCRIPTS",
    state: "MINICLUSTER_STATE",
    subdomain: "MINICLUSTER_SUBDOMAIN",
    tasks: "MINICLUSTER_TASKS",
    terminationLog: "MINICLUSTER_TERMINATION_LOG",
    token: "MINICLUSTER_TOKEN",
    user: "MINICLUSTER_USER",
    view: "MINICLUSTER_VIEW",
} as const;
