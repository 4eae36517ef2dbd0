import type { DecidedOptions } from "../options";

/** One process of the cluster. */
export interface Server {
    readonly name: string;
    /** The file that keeps the network namespace alive in which it runs. */
    readonly network: string;
    readonly command: string;
    readonly args: readonly string[];
    /** The working directory. @default the root */
    readonly folder?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Writes the files that the server reads when it starts. */
    readonly prepare?: () => void;
    readonly isHealthy: () => Promise<boolean>;
    readonly startSeconds?: number;
}

/** `--name=value` for each entry. */
export function flags(values: Readonly<Record<string, string | number | boolean>>): string[] {
    return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

/** The gate of PodGroups, for servers of the control plane. */
export const podGroupGate = ({ podGroups }: DecidedOptions): Record<string, string> =>
    podGroups === "on" ? { "feature-gates": "GenericWorkload=true" } : {};
