export type { MiniClusterArgs } from "./args";
export { type ArchiveArgs, OnDamage } from "./features/archive";
export type { BrokerArgs } from "./features/broker";
export type { ElasticArgs } from "./features/elastic/args";
export { Fit } from "./features/fit";
export type { HooksArgs } from "./features/hooks";
export type { MetricsArgs, PodMonitorArgs } from "./features/metrics/args";
export type { PreflightArgs } from "./features/preflight";
export { Placement, type TolerationArgs, Zone } from "./features/placement";
export type { RestfulArgs } from "./features/restful/args";
export type { ServiceArgs } from "./features/services";
export type { SidecarArgs } from "./features/sidecars";
export { Interrupt, type TimeoutsArgs, WaitFor } from "./features/update";
export type { UserArgs } from "./features/user";
export { type ViewArgs, ViewMethod } from "./features/view";
export type { CsiVolumeArgs, EmptyDirArgs, VolumeArgs } from "./features/volumes";
export {
    type AfterArgs,
    AfterEnd,
    type ClusterReferenceArgs,
    type ElementsArgs,
    type FluxJobArgs,
    type FluxJobTimeoutsArgs,
} from "./fluxJob/args";
export type { ElementsStatus, FailedElement } from "../provider/contract/array";
export type { KubernetesObject } from "../provider/contract/object";
export type { SignalOption } from "../provider/contract/runOptions";
export type { SizedBy } from "../provider/contract/sizedBy";
export type { TimeoutsSpec } from "../provider/contract/timeouts";
export { FluxJob } from "./fluxJob/fluxJob";
export { MiniCluster } from "./miniCluster";
export { fromMPIJob, fromOperator, type MPIJobOptions, type MPIJobResource, type OperatorResource } from "../convert";
export { type CheckpointArgs, OnRankLoss } from "./features/attempts/lossPolicy";
export { Keygen } from "./features/key/keygen";
export { Network } from "./features/network/kind";
export type { OutputArgs } from "./features/update";
export type { Kubeconfig } from "./features/access";
export type { ProgramArgs } from "./parts/program";
export type { RendezvousArgs } from "./features/rendezvous/rendezvous";
export type { ResourcesArgs } from "./parts/resources";
export type { SignalArgs } from "./runOptions/args";
export { CurveKey } from "../provider/curveKey/resource";
export { type CurveKeyArgs } from "../provider/curveKey/properties";
export type { ArraySize, ClusterName, Dependency } from "../provider/flux/job";
export { FluxSubmission } from "../provider/fluxSubmission/resource";
export type { FluxSubmissionArgs, SubmissionTimeouts } from "../provider/fluxSubmission/properties";
export { FluxTicket } from "../provider/fluxTicket/resource";
export { IndexedJob } from "../provider/indexedJob/resource";
export { type IndexedJobArgs } from "../provider/indexedJob/properties";
export { JobStatus } from "../provider/jobStatus/resource";
export { type JobStatusArgs } from "../provider/jobStatus/properties";
export type { LeadService } from "../provider/kube/leadService";
