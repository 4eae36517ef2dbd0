/*
 * Pulumi never closes an inline program's connections to its engine. When a later engine gets the port of a dead one,
 * gRPC uses the broken connection for it, and the SDK takes UNAVAILABLE for the program's regular end. The update then
 * succeeds, and deletes the resources that the program has not registered yet. So connections are not shared here, and
 * UNAVAILABLE is an error.
 */
const settings = require("@pulumi/pulumi/runtime/settings") as { grpcClientOptions: Record<string, unknown> };
const errors = require("@pulumi/pulumi/errors") as { isGrpcError(error: unknown): boolean };

settings.grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;
errors.isGrpcError = () => false;
