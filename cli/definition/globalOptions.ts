import type { OptionDefinition } from "./command";

const CLUSTER = "Options that select the cluster:";
const OTHER = "Other options:";

/** The options of every command. They can also stand before the command. */
export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
    {
        name: "cluster",
        short: "c",
        value: "NAME",
        help: "name of the cluster (default: the cluster that the stack exports)",
        group: CLUSTER,
        completes: "cluster",
    },
    {
        name: "namespace",
        short: "n",
        value: "NAME",
        help: "namespace of the cluster (default: the context's)",
        group: CLUSTER,
    },
    {
        name: "stack",
        short: "s",
        value: "NAME",
        help: "Pulumi stack that exports the cluster (default: the selected stack of this folder)",
        group: CLUSTER,
    },
    {
        name: "kubeconfig",
        value: "FILE",
        help: "kubeconfig (default: KUBECONFIG, ~/.kube/config)",
        group: CLUSTER,
        completes: "file",
    },
    {
        name: "context",
        value: "NAME",
        help: "context of the kubeconfig (default: the current one)",
        group: CLUSTER,
    },
    { name: "json", help: "print JSON", group: OTHER },
    { name: "help", short: "h", help: "print help", group: OTHER },
];

/** An option that is only understood before a command, or without one. */
export const VERSION: OptionDefinition = { name: "version", help: "print the version", group: OTHER };

/** The options of a command with those of every command. A letter that the command uses belongs to its option. */
export function optionsOf(own: readonly OptionDefinition[]): OptionDefinition[] {
    const taken = own.map(({ short }) => short);
    const global = GLOBAL_OPTIONS.map((option) =>
        taken.includes(option.short) ? { ...option, short: undefined } : option,
    );
    return [...own, ...global];
}
