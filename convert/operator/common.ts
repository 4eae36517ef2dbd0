import type { Json } from "../../provider/contract/object";
import type { Fields, Reader, Values } from "../reader";

/** The image of a container without one, by the operator's CustomResourceDefinition. */
const DEFAULT_IMAGE = "ghcr.io/rse-ops/accounting:app-latest";

/**
 * Handlers for the fields that all containers have. Fields without an argument, such as ports, go into the pod
 * template.
 */
export function commonHandlers(args: Values, template: Values): Record<string, (value: Json) => void> {
    return {
        image: (value) => (args.image = value),
        workingDir: (value) => (args.workingDir = value || undefined),
        imagePullSecret: (value) => (args.imagePullSecrets = value ? [value] : undefined),
        pullAlways: (value) => (args.imagePullPolicy = value ? "Always" : args.imagePullPolicy),
        imagePullPolicy: (value) => (args.imagePullPolicy ??= value || undefined),
        ports: (ports: number[]) =>
            (template.ports = ports.map((containerPort) => ({
                name: `port-${containerPort}`,
                containerPort,
                protocol: "TCP",
            }))),
        environment: (value: Fields) => (args.environment = { ...value }),
        secrets: (secrets: Record<string, Fields>) => {
            template.env = Object.entries(secrets).map(([name, { key, name: secret }]) => ({
                name,
                valueFrom: { secretKeyRef: { name: secret, key } },
            }));
        },
        lifeCycle: (hooks: Fields) => {
            const exec = (text: string) => ({ exec: { command: ["/bin/sh", "-c", text] } });
            const { postStartExec, preStopExec } = hooks as Record<string, string | undefined>;
            const lifecycle = {
                ...(postStartExec ? { postStart: exec(postStartExec) } : {}),
                ...(preStopExec ? { preStop: exec(preStopExec) } : {}),
            };
            template.lifecycle = Object.keys(lifecycle).length > 0 ? lifecycle : undefined;
        },
        resources: (value: Fields) => (args.resources = { ...value }),
        securityContext: (value: Fields) => (args.securityContext = readSecurityContext(value)),
    };
}

/** The context is that of Kubernetes; 0.2.0 and 0.2.1 have a list of capabilities. */
function readSecurityContext({ addCapabilities, ...context }: Fields): Values {
    return addCapabilities === undefined ? context : { ...context, capabilities: { add: addCapabilities } };
}

/** The fields with the image that the operator takes if none is given. */
export function withImage(reader: Reader, path: string, fields: Fields): Fields {
    if (fields.image) {
        return fields;
    }
    reader.warn(`${path}.image`, `is missing, so it is the operator's default ${DEFAULT_IMAGE}. Give an image.`);
    return { ...fields, image: DEFAULT_IMAGE };
}

/**
 * The pull policy. The operator's default is IfNotPresent for all images; that of Kubernetes is Always for images whose
 * tag is `latest` or missing.
 */
export function pullPolicy({ image, imagePullPolicy }: Values): string | undefined {
    const isLatest = !/@|:[^/]+$/.test(image) || /:latest$/.test(image);
    return imagePullPolicy ?? (isLatest ? "IfNotPresent" : undefined);
}
