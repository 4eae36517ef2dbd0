import { Keygen, type MiniClusterArgs, Network } from "flux-minicluster";

import { curveCertificate } from "../../components/flux/curveCert";
import { makeKeyPair } from "../../provider/curveKey/keyPair";
import { walkCorePath } from "./support/corePath";
import { useNamespace } from "./support/namespace";

type Way = Omit<MiniClusterArgs, "image">;

/** Ways to make a cluster that have nothing to do with each other are tried together. */
const WAYS: Record<string, () => Way> = {
    "a key that a pod makes, and cluster DNS": () => ({ keygen: Keygen.Pod, network: Network.Dns }),
    "a key of the user's, and full host names": () => ({ certificate: curveCertificate("mine", makeKeyPair()), fqdn: true }),
};

/** What the pod security standard restricted asks for beside a user. */
const RESTRICTED: Way = {
    podSecurityContext: { seccompProfile: { type: "RuntimeDefault" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};

describe("the core path @core", () => {
    const namespace = useNamespace();

    for (const [index, [way, args]] of Object.entries(WAYS).entries()) {
        it(`with ${way}`, () => walkCorePath(namespace, `way${index}`, args()));
    }

    it("with keys in a Secret of the user's", async () => {
        const stringData = { "curve.cert": curveCertificate("mine", makeKeyPair()), "munge.key": "a text that is long enough for MUNGE" };
        await namespace.kube.core.createNamespacedSecret({ namespace: namespace.name, body: { metadata: { name: "own" }, stringData } });
        await walkCorePath(namespace, "secret", { certificateSecret: "own", mungeSecret: "own" });
    });
});

describe("in a namespace with the pod security standard restricted, the core path @core", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });

    it("with a key that rank 0 makes, addresses in /etc/hosts, and a user whom the image doesn't know", () => {
        const user = { name: "somebody", uid: 4242 };
        return walkCorePath(namespace, "way", { ...RESTRICTED, user, keygen: Keygen.InitContainer, network: Network.Hosts });
    });
});
