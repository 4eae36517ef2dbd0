import { readLabels } from "../metadata";
import { type Fields, isEmpty, type Reader, type Values } from "../reader";

/** Reads the operator's `spec.pod`. */
export function readPod(reader: Reader, spec: Fields, args: Values, template: Values): void {
    const path = "spec.pod";
    // An empty text is the operator's default.
    const into = (target: Values, name: string) => (value: unknown) =>
        (target[name] = value === "" ? undefined : value);
    reader.read(spec.pod, {
        annotations: into(args, "podAnnotations"),
        labels: (labels: Fields) => (args.podLabels = readLabels(reader, `${path}.labels`, labels)),
        restartPolicy: (value) => {
            // OnFailure is the operator's default.
            if (!["", "Never", "OnFailure"].includes(value)) {
                const reason = `is ${value}; here the Job replaces a failed pod, as often as backoffLimit allows.`;
                reader.warn(`${path}.restartPolicy`, `${reason} Give backoffLimit, if that is too often.`);
            }
        },
        serviceAccountName: into(args, "serviceAccountName"),
        automountServiceAccountToken: into(args, "automountServiceAccountToken"),
        runtimeClassName: into(args, "runtimeClassName"),
        schedulerName: into(args, "schedulerName"),
        nodeSelector: into(args, "nodeSelector"),
        dnsPolicy: into(template, "dnsPolicy"),
        hostIPC: into(args, "hostIPC"),
        hostPID: (value) => (template.hostPID = value || undefined),
        nodeAffinity: (labels: Record<string, string[]>) => {
            if (spec.network?.disableAffinity) {
                const reason = "has no effect beside network.disableAffinity, as in the operator. Remove one of them.";
                reader.warn(`${path}.nodeAffinity`, reason);
            } else if (!isEmpty(labels)) {
                template.affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(labels) } };
            }
        },
        tolerations: into(args, "tolerations"),
        // The operator makes these resources the overhead of the pod, which Kubernetes refuses without a RuntimeClass.
        resources: reader.without(`${path}.resources`, "is the overhead of the pods; use a RuntimeClass for it."),
        securityContext: (context: Fields) => readContext(reader, `${path}.securityContext`, context, args),
    });
}

function terms(labels: Record<string, string[]>): Values {
    const matchExpressions = Object.entries(labels).map(([key, values]) => ({ key, operator: "In", values }));
    return { nodeSelectorTerms: [{ matchExpressions }] };
}

/** The operator only uses `fsGroup`. */
function readContext(reader: Reader, path: string, context: Fields, args: Values): void {
    args.podSecurityContext = isEmpty(context) ? undefined : context;
    for (const name of Object.keys(context).filter((field) => field !== "fsGroup")) {
        reader.warn(
            `${path}.${name}`,
            "takes effect here; the operator ignores all fields but fsGroup. Remove it to keep that.",
        );
    }
}
