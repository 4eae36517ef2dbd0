/** A map of the operator's resource. */
export type Fields = Readonly<Record<string, any>>;

/** Says of each field what became of it. */
export type Handlers = Readonly<Record<string, (value: any) => void>>;

/** Collects what somebody who moves over has to know. */
export class Reader {
    readonly warnings: string[] = [];

    /** Something that doesn't come over as it is, with what to do instead. */
    warn(path: string, text: string): void {
        this.warnings.push(`${path}: ${text}`);
    }

    /** Gives every field to its handler; none is passed over in silence. */
    read(path: string, fields: unknown, handlers: Handlers): void {
        if (fields === undefined || fields === null) {
            return;
        }
        if (typeof fields !== "object" || Array.isArray(fields)) {
            this.warn(path, "is no map; it is ignored.");
            return;
        }
        for (const [name, value] of Object.entries(fields).filter(([, given]) => given !== null)) {
            const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
            if (handler === undefined) {
                this.warn(`${path}.${name}`, OLD[name] ?? "is no field of the operator's v1alpha2; it is ignored.");
            } else {
                handler(value);
            }
        }
    }

    /** A handler for a field that has no equal here. */
    without(path: string, text: string): (value: unknown) => void {
        return (value) => {
            if (value !== false && value !== "") {
                this.warn(path, text);
            }
        };
    }
}

/** A handler for what needs no argument. */
export function needless(): void {}

/** Fields of v1alpha1 that examples still have. */
const OLD: Fields = {
    cores: "is a field of v1alpha1; give resources.limits.cpu instead.",
    diagnostics: "is a field of v1alpha1; see attachCommand and flux overlay status.",
    existingVolumes: "is a field of v1alpha1; give volumes instead.",
    fluxRestful: "is a field of v1alpha1; it is ignored.",
    localDeploy: "is a field of v1alpha1; it is ignored.",
    preCommand: "is a field of v1alpha1; give hooks.pre instead.",
    users: "is a field of v1alpha1; one cluster has one user.",
    volumes: "is a field of v1alpha1, where volumes were made; make the claim and give volumes instead.",
};
