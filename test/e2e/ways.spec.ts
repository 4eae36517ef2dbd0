import { Keygen, type MiniClusterArgs } from "flux-minicluster";

import { walkCorePath } from "./support/corePath";
import { useNamespace } from "./support/namespace";

/** Ways to make a cluster that have nothing to do with each other are tried together. */
const WAYS: Record<string, Omit<MiniClusterArgs, "image">> = {
    "a key that a pod makes": { keygen: Keygen.Pod },
    "a key that rank 0 makes": { keygen: Keygen.InitContainer },
};

describe("the core path @core", () => {
    const namespace = useNamespace();

    for (const [index, [way, args]] of Object.entries(WAYS).entries()) {
        it(`with ${way}`, () => walkCorePath(namespace, `way${index}`, args));
    }
});
