import { pulumiVersion } from "../../../scripts/local/pieces";

/** Rules of the engine. A test takes some out of the model, and requires that the comparison with the engine notices. */
export interface Rules {
    /** Replacement with deletion first deletes the dependents that it replaces. */
    readonly replacesDependents: boolean;
    /** A replacement checks a second time, without the old inputs. */
    readonly checksTwice: boolean;
    /** A refresh doesn't read a resource that is pending replacement. */
    readonly refreshSkipsPending: boolean;
    readonly retains: boolean;
    /** The children of a resource with an alias have it too. */
    readonly inheritsAliases: boolean;
    /** A resource is not deleted if the one that it is deleted with is. */
    readonly deletesWith: boolean;
    /** Untargeted resources are not checked. */
    readonly skipsUntargeted: boolean;
    /** An untargeted resource is passed by after the providers of what it needs (since 3.217 or later). */
    readonly passesProviders: boolean;
    /** The state's ignoreChanges apply to the diff that decides whether a dependent is replaced. */
    readonly ignoresInDependents: boolean;
    /** Dependents of a failed resource get no calls (since 3.260 or later). */
    readonly newer: boolean;
    /** What a failed step needs is kept with all its states that wait for their deletion (since 3.260 or later). */
    readonly keepsCopies: boolean;
    /** A resource pending replacement was deleted and is not deleted again. */
    readonly neverDeletesTwice: boolean;
}

const RULES_3_259: Rules = {
    replacesDependents: true,
    checksTwice: true,
    refreshSkipsPending: true,
    retains: true,
    inheritsAliases: true,
    deletesWith: true,
    skipsUntargeted: true,
    passesProviders: true,
    ignoresInDependents: true,
    newer: false,
    keepsCopies: false,
    neverDeletesTwice: false,
};

/** The rules of a version, such as 3.259.0. */
export function rulesOf(version: string): Rules {
    const [, minor = 0] = version.split(".").map(Number);
    const isNewest = minor >= 274;
    return {
        ...RULES_3_259,
        passesProviders: minor >= 259,
        newer: isNewest,
        keepsCopies: isNewest,
        neverDeletesTwice: isNewest,
    };
}

/** The rules of the engine with which all other tests run. */
export const NEWEST_RULES = rulesOf(pulumiVersion);
