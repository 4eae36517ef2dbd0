/** A rule of the provider that a test takes out, to see that the histories find the defect. */
export interface ProviderRule {
    /** The module that has the rule. */
    readonly file: string;
    /** Only histories whose context changes in the middle of commands find it. */
    readonly isOfContexts?: true;
    /** A statement at the end of this module that replaces the rule by what it cures. */
    readonly without: string;
}

export const PROVIDER_RULES: Readonly<Record<string, ProviderRule>> = {
    "a 404 of a proxy tells nothing of an object": {
        file: "kubernetes/failures/failure",
        without: "isNotFound = (error) => hasCode(error, 404);",
    },
    "a FluxJob whose cluster is elsewhere stays in the state": {
        file: "observe/pods/lead",
        without: `
            const locating = findLead;
            findLead = async (kube, known) => {
                const lead = await locating(kube, known);
                return lead.state === "unknown" ? { state: "gone" } : lead;
            };`,
    },
    "a plan of a FluxJob whose cluster is elsewhere knows nothing of it": {
        file: "plan/jobPlan",
        without: `
            const asking = ask;
            ask = (old, access) =>
                asking(old, access).catch((error) => {
                    if (!error.message.includes("give --kubeconfig or --context")) {
                        throw error;
                    }
                });`,
    },
    "a command stays with the context that it saw first": {
        file: "kubernetes/kubeconfig/access",
        without: "firstContext = (config) => config.getCurrentContext();",
        isOfContexts: true,
    },
    "a Job can't expire before its creation and its TTL": {
        file: "observe/job",
        without: "mayHaveExpired = (ttl) => ttl !== undefined;",
    },
    "a cluster is told by its mark and by its lead Service, which may have the name of another one's": {
        file: "observe/job",
        without: `
            const placing = otherPlace;
            otherPlace = (kube, { mark, ...known }) => placing(kube, known);
            hasLead = async (kube, known) =>
                (await kube.getService(known.namespace, serviceOf(known)).catch(() => undefined)) !== undefined;`,
    },
};
