import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { ARCHIVES } from "./support/archives";
import { importPublicImage } from "./support/image";
import { useNamespace } from "./support/namespace";
import { sharedCluster } from "./support/sharedCluster";

/** The user of the public image, who isn't root, may not write to a folder that the kubelet has made. */
describe("MiniCluster with an archive on a volume of root", () => {
    const namespace = useNamespace();

    it("starts if an init container gives the volume to the image's user, as docs/arguments.md says", async () => {
        const image = await importPublicImage((await sharedCluster()).cluster);
        const stack = namespace.stack("rights", async () => {
            new MiniCluster("rights", {
                image,
                restful: { enabled: false },
                archive: { hostPath: `${ARCHIVES}/of-root-${namespace.name}` },
                podTemplate: {
                    spec: {
                        initContainers: [
                            {
                                name: "archive-rights",
                                image,
                                command: ["chmod", "1777", "/archive"],
                                securityContext: { runAsUser: 0 },
                                volumeMounts: [{ name: "flux-archive", mountPath: "/archive" }],
                            },
                        ],
                    },
                },
            });
        });
        await stack.up();
        const words = ["sh", "-c", "id -u; ls -ld /var/lib/flux-archive | cut -c1-10; ls /var/lib/flux-archive/rights"];
        const [user, mode, ...files] = (await namespace.exec("rights", words)).trim().split("\n");
        assert.equal(mode, "drwxrwxrwt");
        assert.ok(user !== "" && files.includes("owner"), files.join(", "));
    });
});
