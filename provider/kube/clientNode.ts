/*
 * What we use of the Kubernetes client. The build makes one file of it and of what it needs, which takes 0.15 s and 83 MB
 * to load in Pulumi's dynamic provider host; as a thousand files it takes 0.6 s and 127 MB
 * (docs/adr/0008-one-file-client.md).
 */
export {
    BatchV1Api,
    CoreV1Api,
    createConfiguration,
    CustomObjectsApi,
    Exec,
    KubeConfig,
    Log,
    Observable,
    PatchStrategy,
    PortForward,
    ServerConfiguration,
    setHeaderOptions,
    VersionApi,
    Watch,
} from "@kubernetes/client-node";
export type * from "@kubernetes/client-node";
