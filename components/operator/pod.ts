import { isOwn } from "../parts/metadata";
import { type Fields, needless, type Reader, type Values } from "./reader";

/** Reads the operator's `spec.pod`. */
export function readPod(reader: Reader, fields: unknown, args: Values, template: Values): void {
    const path = "spec.pod";
    const into = (target: Values, name: string) => (value: unknown) => (target[name] = value);
    reader.read(path, fields, {
        annotations: into(args, "podAnnotations"),
        labels: (labels: Fields) => (args.podLabels = readLabels(reader, `${path}.labels`, labels)),
        restartPolicy: (value) => {
            if (value !== "Never") {
                reader.warn(
                    `${path}.restartPolicy`,
                    `is ${value}; here the Job replaces a failed pod, as often as backoffLimit allows.`,
                );
            }
        },
        serviceAccountName: into(args, "serviceAccountName"),
        automountServiceAccountToken: into(args, "automountServiceAccountToken"),
        runtimeClassName: into(args, "runtimeClassName"),
        schedulerName: into(args, "schedulerName"),
        nodeSelector: into(args, "nodeSelector"),
        dnsPolicy: into(template, "dnsPolicy"),
        hostIPC: into(args, "hostIPC"),
        hostPID: into(template, "hostPID"),
        nodeAffinity: (labels: Record<string, string[]>) => {
            const matchExpressions = Object.entries(labels).map(([key, values]) => ({ key, operator: "In", values }));
            const required = { nodeSelectorTerms: [{ matchExpressions }] };
            template.affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
        },
        tolerations: into(args, "tolerations"),
        resources: needlessOrWarn(reader, `${path}.resources`),
        securityContext: into(args, "podSecurityContext"),
    });
}

/**
 * The operator makes these resources the overhead of the pod. Kubernetes refuses an overhead without a matching
 * RuntimeClass.
 */
function needlessOrWarn(reader: Reader, path: string): (value: Fields) => void {
    return (value) =>
        Object.keys(value).length === 0
            ? needless()
            : reader.warn(path, "is the overhead of the pods; use a RuntimeClass for it.");
}

/** The labels without those that MiniCluster sets itself; undefined if none is left. */
export function readLabels(reader: Reader, path: string, labels: Fields): Values | undefined {
    const names = Object.keys(labels);
    names.filter(isOwn).forEach((name) => reader.warn(`${path}.${name}`, "is ignored: MiniCluster sets it itself."));
    const others = names.filter((name) => !isOwn(name));
    return others.length > 0 ? Object.fromEntries(others.map((name) => [name, labels[name]])) : undefined;
}
