/*
 * Pulumi never closes an inline program's connections to its engine. When a later engine gets the port of a dead one, gRPC
 * shares the broken connection with it, and the SDK takes UNAVAILABLE for the program's regular end: the update then
 * succeeds, and deletes what the program has not come to. Here connections are not shared, and the error is an error.
 */
const settings = require("@pulumi/pulumi/runtime/settings") as { grpcClientOptions: Record<string, unknown> };
const errors = require("@pulumi/pulumi/errors") as { isGrpcError(error: unknown): boolean };

settings.grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;
errors.isGrpcError = () => false;
