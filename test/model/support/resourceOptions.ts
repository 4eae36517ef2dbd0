/** Names a resource that the new one was before: by its whole key, or by the parts that have changed. */
export interface Alias {
    readonly key?: string;
    readonly name?: string;
    readonly type?: string;
    /** Name of the former parent in the program. */
    readonly parent?: string;
    readonly noParent?: boolean;
}

/** Options of a resource. Other resources are named by their names in the program. */
export interface ResourceOptions {
    /** The resource has no provider. */
    readonly component?: boolean;
    readonly parent?: string;
    /** Name of an explicit provider. */
    readonly provider?: string;
    readonly aliases?: readonly Alias[];
    readonly protect?: boolean;
    readonly retainOnDelete?: boolean;
    readonly deletedWith?: string;
    readonly replaceWith?: readonly string[];
    readonly replaceOnChanges?: readonly string[];
}
