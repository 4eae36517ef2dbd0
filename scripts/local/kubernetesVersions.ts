export const defaultKubernetes = "1.37";

/** The full version of each minor version that can be built. */
export const kubernetesVersions: Readonly<Record<string, string>> = {
    "1.37": "1.37.2",
    "1.36": "1.36.4",
    "1.31": "1.31.4",
};

/** The versions that are built only when they are asked for. The last one is the oldest that a MiniCluster supports. */
export const otherKubernetes = Object.keys(kubernetesVersions).filter((minor) => minor !== defaultKubernetes);
