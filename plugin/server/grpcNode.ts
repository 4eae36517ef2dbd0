/*
 * The parts of gRPC and of Pulumi's protocol that the host uses. The build makes one file of them and their dependencies,
 * which loads in 0.1 s (docs/adr/0008-one-file-client.md).
 */
export {
    Client,
    credentials,
    Metadata,
    Server,
    ServerCredentials,
    type sendUnaryData,
    type ServerUnaryCall,
    type ServiceError,
    status,
    type StatusObject,
} from "@grpc/grpc-js";
export {
    GetRootResourceRequest,
    GetRootResourceResponse,
    LogRequest,
    LogSeverity,
    SetRootResourceRequest,
} from "@pulumi/pulumi/proto/engine_pb";
export { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
export {
    CheckFailure,
    CheckRequest,
    CheckResponse,
    ConfigureRequest,
    ConfigureResponse,
    CreateRequest,
    CreateResponse,
    DeleteRequest,
    DiffRequest,
    DiffResponse,
    ErrorResourceInitFailed,
    GetSchemaResponse,
    InvokeRequest,
    InvokeResponse,
    ReadRequest,
    ReadResponse,
    UpdateRequest,
    UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
export { Status } from "@pulumi/pulumi/proto/status_pb";
export { Any } from "google-protobuf/google/protobuf/any_pb";
export { Empty } from "google-protobuf/google/protobuf/empty_pb";
export { Struct } from "google-protobuf/google/protobuf/struct_pb";
