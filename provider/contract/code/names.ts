/** Names that are left out of a folder's code unless `include` has them. docs/data.md lists them. */
export const LEFT_OUT = [
    ".git",
    ".hg",
    ".svn",
    ".pulumi",
    "Pulumi.*.yaml",
    "Pulumi.*.yml",
    ".venv",
    "node_modules",
    "__pycache__",
    "*.pyc",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".idea",
    ".vscode",
    ".DS_Store",
    "Thumbs.db",
    ".#*",
    "*.swo",
    "*.swp",
    "*~",
];

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

/** Why a path is not taken: the pattern that leaves it out, or a name that looks like a secret. */
export type Reason = { readonly leftOutBy: string } | "secret";

/** Judges paths of a folder, which are relative and have `/`. */
export interface NameRules {
    /** Why a path is not taken; undefined if it is. `above` is the reason against the folder in which it is. */
    reasonAgainst(path: string, above?: Reason): Reason | undefined;
    /** True for a folder that is not taken, and of which `include` names a part. */
    leadsToIncluded(folder: string, above?: Reason): boolean;
}

export function nameRules(exclude: readonly string[], include: readonly string[]): NameRules {
    const isIncluded = anyOf(include);
    const isNamed = anyOf(include.filter(namesSomething));
    const leavers = [...LEFT_OUT, ...exclude].map((pattern) => ({ pattern, matches: anyOf([pattern]) }));
    const isLeftOut = anyOf([...LEFT_OUT, ...exclude]);
    const isSecret = anyOf(SECRETS);
    const ways = include.flatMap(waysTo);
    const [isOnNamedWay, isOnWay] = [anyOf(ways.filter(namesSomething)), anyOf(ways)];

    const leftOut = (path: string, above?: Reason): Reason | undefined => {
        const pattern = isLeftOut(path) ? leavers.find(({ matches }) => matches(path))?.pattern : undefined;
        return pattern === undefined ? above : { leftOutBy: pattern };
    };
    return {
        reasonAgainst(path, above) {
            const reason = leftOut(path, above);
            if (reason !== undefined && !isIncluded(path)) {
                return reason;
            }
            return isSecret(path) && !isNamed(path) ? "secret" : undefined;
        },
        // A pattern such as `*/a.txt` or `**/a.txt` doesn't mean those in .git.
        leadsToIncluded: (folder, above) => (above === undefined ? isOnNamedWay(folder) : isOnWay(folder)),
    };
}

/** True for a pattern whose last name isn't only made of signs: it means certain files, not all of a folder. */
function namesSomething(pattern: string): boolean {
    return /[\p{L}\p{N}][^/]*\/*$/u.test(pattern);
}

/** The patterns of the folders on the way to what a pattern of a path means. */
function waysTo(pattern: string): string[] {
    const names = pattern.replace(/^\.\//, "").replace(/\/+$/, "").split("/");
    return names.slice(1).map((_, index) => `./${names.slice(0, index + 1).join("/")}`);
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
