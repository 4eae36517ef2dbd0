/*
 * What we use of the Kubernetes client. The build makes one file of it and of what it needs: as thousands of files it
 * takes half a second to load and half of the memory of Pulumi's dynamic provider host (docs/adr/0008-one-file-client.md).
 */
export {
    BatchV1Api,
    CoreV1Api,
    createConfiguration,
    Exec,
    KubeConfig,
    Log,
    PatchStrategy,
    PortForward,
    ServerConfiguration,
    setHeaderOptions,
    VersionApi,
    Watch,
} from "@kubernetes/client-node";
export type * from "@kubernetes/client-node";
