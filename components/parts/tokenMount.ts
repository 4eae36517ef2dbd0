import type { Texts } from "../spec";
import type { Mount } from "./mount";
import { TOKEN_DIR } from "./paths";

/**
 * A token of the pods' service account, to be mounted only in the container that needs it: no broker and no job can read
 * it. The kubelet renews it. Beside it are the namespace and `fields`: file to `fieldPath`.
 */
export function tokenMount(volume: string, fields: Texts = {}): Mount {
    const paths = Object.entries({ namespace: "metadata.namespace", ...fields });
    return {
        mountPath: TOKEN_DIR,
        readOnly: true,
        volume: {
            name: volume,
            projected: {
                defaultMode: 0o444,
                sources: [
                    { serviceAccountToken: { path: "token", expirationSeconds: 3600 } },
                    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
                    { downwardAPI: { items: paths.map(([path, fieldPath]) => ({ path, fieldRef: { fieldPath } })) } },
                ],
            },
        },
    };
}
