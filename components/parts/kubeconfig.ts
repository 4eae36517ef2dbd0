/** The text or the path of a kubeconfig, or the kubeconfig as an object, which some providers give for a new cluster. */
export type Kubeconfig = any;
