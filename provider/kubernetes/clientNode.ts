/*
 * The parts of the Kubernetes client that this package uses. The build bundles them and their dependencies into one
 * file, which Pulumi's dynamic provider host loads in 0.15 s and 83 MB. As a thousand files, the client takes 0.6 s and
 * 127 MB (docs/adr/0008-one-file-client.md).
 */
export {
    BatchV1Api,
    CoreV1Api,
    createConfiguration,
    CustomObjectsApi,
    Exec,
    HttpMethod,
    IsomorphicFetchHttpLibrary,
    KubeConfig,
    Observable,
    PatchStrategy,
    PortForward,
    ServerConfiguration,
    setHeaderOptions,
    VersionApi,
    Watch,
} from "@kubernetes/client-node";
export type * from "@kubernetes/client-node";
