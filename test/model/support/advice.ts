/** What the provider advises for work that no cluster has any more. */
export const FORGETS = /set PULUMI_K8S_DELETE_UNREACHABLE=true/;
