import type { Json, KubernetesObject } from "../../provider/contract/object";

/** An object in the operator's resource. */
export type Fields = Readonly<KubernetesObject>;

/** Arguments, or a pod template, while they are read. */
export type Values = KubernetesObject;

/** One handler for each field. */
export type Handlers = Readonly<Record<string, (value: Json) => void>>;

/** Reads the operator's resource and collects warnings for the user. */
export class Reader {
    readonly warnings: string[] = [];

    /** Adds a warning about a field without an equal argument. */
    warn(path: string, text: string): void {
        this.warnings.push(`${path}: ${text}`);
    }

    /** Passes every field to its handler. A field without a handler gets a warning. */
    read(path: string, fields: unknown, handlers: Handlers): void {
        if (fields === undefined || fields === null) {
            return;
        }
        if (typeof fields !== "object" || Array.isArray(fields)) {
            this.warn(path, "is not a map; it is ignored.");
            return;
        }
        for (const [name, value] of Object.entries(fields).filter(([, given]) => given !== null)) {
            const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
            if (handler === undefined) {
                this.warn(`${path}.${name}`, OLD[name] ?? "is not a field of the operator's v1alpha2; it is ignored.");
            } else {
                handler(value);
            }
        }
    }

    /** A handler that warns, unless the field is false or empty. */
    without(path: string, text: string): (value: unknown) => void {
        return (value) => {
            if (value !== false && value !== "") {
                this.warn(path, text);
            }
        };
    }
}

/** A handler for a field that needs no argument. */
export function needless(): void {}

/** Fields of v1alpha1 that are still found in examples. */
const OLD: Fields = {
    cores: "is a field of v1alpha1; give resources.limits.cpu instead.",
    diagnostics: "is a field of v1alpha1; see attachCommand and flux overlay status.",
    existingVolumes: "is a field of v1alpha1; give volumes instead.",
    fluxRestful: "is a field of v1alpha1; it is ignored.",
    localDeploy: "is a field of v1alpha1; it is ignored.",
    preCommand: "is a field of v1alpha1; give hooks.pre instead.",
    users: "is a field of v1alpha1; one cluster has one user.",
    volumes: "is a field of v1alpha1, where the operator made the volumes; create the claim and give volumes instead.",
};
