export * from "./components/args";
export { fromOperator, type OperatorResource } from "./components/operator/fromOperator";
export { MiniCluster } from "./components/miniCluster";
export { CurveKey, type CurveKeyArgs } from "./provider/curveKey/resource";
export { IndexedJob, type IndexedJobArgs, type LeadService } from "./provider/indexedJob/resource";
export { JobStatus, type JobStatusArgs } from "./provider/jobStatus/resource";
