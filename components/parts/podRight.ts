/** A right of the pods' service account: a rule of a Role, for objects with these names. */
export interface PodRight {
    apiGroups: string[];
    resources: string[];
    resourceNames: string[];
    verbs: string[];
}
