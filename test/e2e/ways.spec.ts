import { Keygen, Network } from "flux-minicluster";

import { curveCertificate } from "../../provider/contract/curveKey";
import { makeKeyPair } from "../../provider/curveKey/keyPair";
import { type Way, walkCorePath } from "./support/corePath";
import { useNamespace } from "./support/namespace";

/** The fields that the pod security standard restricted requires besides a user. */
const RESTRICTED: Way = {
    podSecurityContext: { seccompProfile: { type: "RuntimeDefault" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};

describe("core path @core", () => {
    const namespace = useNamespace();

    it("works with a pod's key and DNS, the user's key and FQDNs, and the user's Secret", async () => {
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

describe("core path in a restricted namespace @core", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });

    it("runs with the lead's key, /etc/hosts and a user that the image lacks", () => {
        const user = { name: "somebody", uid: 4242 };
        return walkCorePath(namespace, {
            way: { ...RESTRICTED, user, keygen: Keygen.InitContainer, network: Network.Hosts },
        });
    });
});
