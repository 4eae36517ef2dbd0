import assert from "node:assert/strict";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { CurveKey, MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import { grant } from "./support/rights";
import { operations } from "./support/stack";

describe("MiniCluster argument check", () => {
    const namespace = useNamespace();

    it("names all wrong arguments with their paths at preview, and creates nothing", async () => {
        const stack = namespace.stack("wrong", async () => {
            const args = {
                image: namespace.image,
                size: 4,
                maxSize: 2,
                minSize: 5,
                waitFor: "completed",
                launcher: true,
                environment: { "not-a-name": "x", FLUX_URI: "y" },
                resources: { limits: { cpu: "four" } },
                broker: { port: 70000, connectTimeout: 0, topology: "star" },
                timeouts: { ready: 0 },
                volumes: [{ name: "data", mountPath: "data", hostPath: "/a", secret: "b" }],
            };
            new MiniCluster("Wrong_", args as unknown as ConstructorParameters<typeof MiniCluster>[1]);
        });
        const { text } = await stack.fails("preview");
        const paths = [
            "name",
            "size",
            "minSize",
            "waitFor",
            "launcher",
            "environment.not-a-name",
            "environment.FLUX_URI",
            "resources.limits.cpu",
            "broker.port",
            "broker.connectTimeout",
            "broker.topology",
            "timeouts.ready",
            "volumes[0]",
            "volumes[0].mountPath",
        ];
        for (const path of paths) {
            assert(text.includes(` ${path}: `), `${path} is not named in:\n${text}`);
        }
        assert.match(text, new RegExp(`MiniCluster "Wrong_" has ${paths.length} problems in its arguments:`));
        assert.deepEqual(await namespace.objects(), []);
    });

    it("names unknown arguments and suggests the right names", async () => {
        const stack = namespace.stack("unknown", async () => {
            const args = { image: namespace.image, comand: ["hostname"], broker: { loglevel: 7 } };
            new MiniCluster("unknown", args as unknown as ConstructorParameters<typeof MiniCluster>[1]);
        });
        const { text } = await stack.fails("preview");
        assert.match(text, /comand: does not exist\. Did you mean command\?/);
        assert.match(text, /broker\.loglevel: does not exist\. Did you mean logLevel\?/);
    });

    it("runs in the update for values that are unknown at preview", async () => {
        const stack = namespace.stack("late", async () => {
            const size = new CurveKey("other").nonce.apply(() => 0);
            new MiniCluster("late", { image: namespace.image, size });
        });
        await stack.preview();
        const { text } = await stack.fails("up");
        assert.match(text, /size: is 0; a cluster has at least 1 rank/);
        assert.equal(
            stack.resources().some(({ type }) => type.endsWith(":IndexedJob")),
            false,
        );
    });

    it("accepts Outputs, including unknown and secret ones", async () => {
        await grant(namespace, "configmaps", "patch");
        const stack = namespace.stack("outputs", async () => {
            const { nonce, secretKey } = new CurveKey("other");
            const settings = new kubernetes.core.v1.ConfigMap("settings", { data: { word: "hello" } });
            const { output } = new MiniCluster("outputs", {
                image: namespace.image,
                size: nonce.apply(() => 2),
                labels: { nonce },
                volumes: [{ name: "settings", mountPath: "/settings", configMap: settings.metadata.name }],
                environment: pulumi.output({ NONCE: nonce, KEY: secretKey }),
                command: ["bash", "-c", pulumi.interpolate`echo "$(cat /settings/word) ${nonce} $NONCE ${"$"}{#KEY}"`],
            });
            return { nonce, output };
        });
        const { events } = await stack.preview();
        assert.equal(operations(events)["outputs-job"], "create");
        const { outputs } = await stack.up();
        const line = `hello ${outputs.nonce} ${outputs.nonce} 40`;
        assert.deepEqual(outputs.output.trim().split("\n"), [line, line]);
        await stack.preview(true);
    });
});
