import { Keygen, Network } from "flux-minicluster";

import { curveCertificate } from "../../provider/contract/curveCertificate";
import { makeKeyPair } from "../../provider/curveKey/keyPair";
import { type Way, walkCorePath } from "./support/corePath";
import { useNamespace } from "./support/namespace";

/** What the pod security standard restricted asks for beside a user. */
const RESTRICTED: Way = {
    podSecurityContext: { seccompProfile: { type: "RuntimeDefault" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};

describe("the core path @core", () => {
    const namespace = useNamespace();

    it("with a key that a pod makes and cluster DNS, with a key of the user's and full host names, with keys in a Secret of his", async () => {
        const stringData = {
            "curve.cert": curveCertificate("mine", makeKeyPair()),
            "munge.key": "a text that is long enough for MUNGE",
        };
        await namespace.kube.core.createNamespacedSecret({
            namespace: namespace.name,
            body: { metadata: { name: "own" }, stringData },
        });
        await walkCorePath(namespace, {
            dns: { keygen: Keygen.Pod, network: Network.Dns },
            names: { certificate: curveCertificate("mine", makeKeyPair()), fqdn: true },
            secret: { certificateSecret: "own", mungeSecret: "own" },
        });
    });
});

describe("in a namespace with the pod security standard restricted, the core path @core", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });

    it("with a key that rank 0 makes, addresses in /etc/hosts, and a user whom the image doesn't know", () => {
        const user = { name: "somebody", uid: 4242 };
        return walkCorePath(namespace, {
            way: { ...RESTRICTED, user, keygen: Keygen.InitContainer, network: Network.Hosts },
        });
    });
});
