export { clusterDown, clusterStatus, clusterUp, type Cluster, type Status, type UpOptions } from "./cluster";
export type { ClusterOptions } from "./cluster/options";
export { chooseTarget, type Target } from "./target";
export { toolchain, type Toolchain } from "./toolchain";
