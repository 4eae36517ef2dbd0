import { type Cause, notCreated } from "./cause";

const forbidden = (why: string) => notCreated(`pods "${"NAME-0"}" is forbidden: ${why}`);

export const creation: readonly Cause[] = [
    {
        cause: "a quota that is smaller than the cluster",
        events: forbidden("exceeded quota: team, requested: cpu=8, used: cpu=0, limited: cpu=4"),
        limit: "podCreation",
    },
    {
        cause: "a quota that other pods use up",
        events: forbidden("exceeded quota: team, requested: cpu=2, used: cpu=3, limited: cpu=4"),
        limit: "podStart",
    },
    {
        cause: "a quota for a resource that the pod doesn't set",
        events: forbidden("failed quota: team: must specify limits.cpu for: flux"),
        limit: "podCreation",
    },
    {
        cause: "a LimitRange",
        events: forbidden("maximum memory usage per Container is 1Gi, but limit is 2Gi"),
        limit: "podCreation",
    },
    {
        cause: "a LimitRange that small containers of the cluster's own break",
        events: forbidden("minimum cpu usage per Container is 100m, but request is 10m"),
        limit: "podCreation",
    },
    {
        cause: "Pod Security",
        events: forbidden(
            'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "flux" must set securityContext.allowPrivilegeEscalation=false)',
        ),
        limit: "podCreation",
    },
    {
        cause: "a service account that doesn't exist",
        events: forbidden('error looking up service account hpc/solver: serviceaccount "solver" not found'),
        limit: "podStart",
    },
    {
        cause: "a PriorityClass that doesn't exist",
        events: forbidden("no PriorityClass with name urgent was found"),
        limit: "podStart",
    },
    {
        cause: "a RuntimeClass that doesn't exist",
        events: forbidden('pod rejected: RuntimeClass "gvisor" not found'),
        limit: "podStart",
    },
    {
        cause: "a policy's webhook",
        events: notCreated('admission webhook "images.example.com" denied the request: only signed images'),
        limit: "podCreation",
    },
    {
        cause: "a webhook that doesn't answer",
        events: notCreated(
            'Internal error occurred: failed calling webhook "inject.example.com": failed to call webhook: Post "https://inject.mesh.svc:443/inject?timeout=10s": dial tcp 10.96.0.9:443: connect: connection refused',
        ),
        limit: "podStart",
    },
];
