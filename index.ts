export type { MiniClusterArgs } from "./components/args";
export { type ArchiveArgs, OnDamage } from "./components/features/archive";
export type { BrokerArgs } from "./components/features/broker";
export type { ElasticArgs } from "./components/features/elastic/args";
export type { PreflightArgs } from "./components/features/preflight";
export type { HooksArgs } from "./components/features/hooks";
export { Placement, type TolerationArgs } from "./components/features/placement";
export type { RestfulArgs } from "./components/features/restful/args";
export type { ServiceArgs } from "./components/features/services";
export type { SidecarArgs } from "./components/features/sidecars";
export { Interrupt, type TimeoutsArgs, WaitFor } from "./components/features/update";
export type { UserArgs } from "./components/features/user";
export { type ViewArgs, ViewMethod } from "./components/features/view";
export type { CsiVolumeArgs, EmptyDirArgs, VolumeArgs } from "./components/features/volumes";
export {
    type AfterArgs,
    AfterEnd,
    type ClusterReferenceArgs,
    type ElementsArgs,
    type FluxJobArgs,
    type FluxJobTimeoutsArgs,
} from "./components/fluxJob/args";
export type { ElementsStatus, FailedElement } from "./provider/contract/array";
export type { KubernetesObject } from "./provider/contract/object";
export type { SignalOption } from "./provider/contract/runOptions";
export type { TimeoutsSpec } from "./provider/contract/timeouts";
export { FluxJob } from "./components/fluxJob/fluxJob";
export { MiniCluster } from "./components/miniCluster";
export { fromOperator, type OperatorResource } from "./components/operator/fromOperator";
export { type CheckpointArgs, OnRankLoss } from "./components/features/attempts/lossPolicy";
export { Keygen } from "./components/features/key/keygen";
export { Network } from "./components/features/network/kind";
export type { OutputArgs } from "./components/features/update";
export type { Kubeconfig } from "./components/features/access";
export type { ProgramArgs } from "./components/parts/program";
export type { RendezvousArgs } from "./components/features/rendezvous/rendezvous";
export type { ResourcesArgs } from "./components/parts/resources";
export type { SignalArgs } from "./components/runOptions/args";
export { CurveKey } from "./provider/curveKey/resource";
export { type CurveKeyArgs } from "./provider/curveKey/properties";
export type { ArraySize, ClusterName, Dependency } from "./provider/flux/job";
export { FluxSubmission } from "./provider/fluxSubmission/resource";
export type { FluxSubmissionArgs, SubmissionTimeouts } from "./provider/fluxSubmission/properties";
export { FluxTicket } from "./provider/fluxTicket/resource";
export { IndexedJob } from "./provider/indexedJob/resource";
export { type IndexedJobArgs } from "./provider/indexedJob/properties";
export { JobStatus } from "./provider/jobStatus/resource";
export { type JobStatusArgs } from "./provider/jobStatus/properties";
export type { LeadService } from "./provider/kube/leadService";
