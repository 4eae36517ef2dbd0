/** Names that are left out of a folder's code unless `include` has them. */
const LEFT_OUT = [".git", ".pulumi", ".venv", "*.pyc", "Pulumi.*.yaml", "Pulumi.*.yml", "__pycache__", "node_modules"];

/** Names of files and folders that mostly hold secrets. */
const SECRETS = [
    ".aws",
    ".docker",
    ".env*",
    ".git-credentials",
    ".kube",
    ".netrc",
    ".npmrc",
    ".ssh",
    "*.key",
    "*.p12",
    "*.pem",
    "*.pfx",
    "id_dsa",
    "id_ecdsa*",
    "id_ed25519*",
    "id_rsa",
    "kubeconfig",
];

/** Judges paths of a folder, which are relative and have `/`. */
export interface NameRules {
    /** The pattern by which a path is left out; undefined if it is taken. */
    leftOutBy(path: string): string | undefined;
    /** True for a name that looks like a secret, and that the user hasn't named. */
    isSecret(path: string): boolean;
}

export function nameRules(exclude: readonly string[], include: readonly string[]): NameRules {
    const isIncluded = anyOf(include);
    const leavers = [...LEFT_OUT, ...exclude].map((pattern) => ({ pattern, matches: anyOf([pattern]) }));
    const isLeftOut = anyOf([...LEFT_OUT, ...exclude]);
    const isSecret = anyOf(SECRETS);
    return {
        leftOutBy: (path) =>
            isLeftOut(path) && !isIncluded(path) ? leavers.find(({ matches }) => matches(path))?.pattern : undefined,
        isSecret: (path) => isSecret(path) && !isIncluded(path),
    };
}

/** True for paths that match one of the patterns: one without `/` is of a name in any folder, another one of a path. */
function anyOf(patterns: readonly string[]): (path: string) => boolean {
    const all = patterns.map((pattern) => {
        const plain = pattern.replace(/\/+$/, "");
        return (plain.includes("/") ? "" : "(?:.*/)?") + regularOf(plain.replace(/^\.\//, ""));
    });
    const matcher = all.length === 0 ? undefined : new RegExp(`^(?:${all.join("|")})$`, "s");
    return (path) => matcher?.test(path) ?? false;
}

/** `*` and `?` stand for characters of one name, `**` also for those of several. */
function regularOf(pattern: string): string {
    return pattern.replaceAll(/\*\*\/|\*\*|[\s\S]/g, (part) => WILD[part] ?? part.replace(/[\\^$.+()[\]{}|]/, "\\$&"));
}

const WILD: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
