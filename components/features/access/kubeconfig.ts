/** The text or the path of a kubeconfig, or the kubeconfig as an object, which some providers give for a new cluster. */
export type Kubeconfig = any;

/** The text of a kubeconfig, or its path. */
export function textOf(kubeconfig: string | object): string {
    return typeof kubeconfig === "string" ? kubeconfig : JSON.stringify(kubeconfig ?? undefined);
}
