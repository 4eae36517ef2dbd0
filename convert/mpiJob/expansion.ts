import { quoted } from "../shell";

/** Variables of a container. */
export interface Variables {
    /** Those whose values are in the resource. */
    readonly plain: Readonly<Record<string, string>>;
    /** Names of those that Kubernetes fills in each pod: from a Secret, for example. */
    readonly referenced: ReadonlySet<string>;
}

export interface Expanded {
    /** The text with the values of plain variables. */
    readonly text: string;
    /** True if the text has a variable that Kubernetes fills. */
    readonly hasReference: boolean;
    /** The text as a word of a shell that has the variables. */
    readonly raw: string;
}

/**
 * A text of a container's `env`, `command` or `args`, in which Kubernetes replaces `$(NAME)` by variables before it, and
 * `$$` by `$`. An unknown name stays as it is.
 */
export function expandVariables(text: string, { plain, referenced }: Variables): Expanded {
    const parts = text.split(/(\$\$|\$\(\w[\w.-]*\))/).map((part) => {
        const [, name] = /^\$\((.*)\)$/.exec(part) ?? [];
        if (name !== undefined && Object.hasOwn(plain, name)) {
            return { text: plain[name], isReference: false };
        }
        const isReference = name !== undefined && referenced.has(name);
        return { text: isReference ? `"\${${name}}"` : part === "$$" ? "$" : part, isReference };
    });
    const found = parts.filter((part) => part.text !== "");
    const isPlain = found.every(({ isReference }) => !isReference);
    const joined = found.map((part) => part.text).join("");
    return {
        text: joined,
        hasReference: !isPlain,
        raw: isPlain
            ? wordOf(joined)
            : found.map((part) => (part.isReference ? part.text : quoted(part.text))).join(""),
    };
}

/** A word of a shell; an empty one has quotes. */
export function wordOf(text: string): string {
    return text === "" ? "''" : quoted(text);
}
