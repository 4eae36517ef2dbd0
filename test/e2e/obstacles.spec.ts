import assert from "node:assert/strict";

import * as kubernetes from "@pulumi/kubernetes";
import { MiniCluster } from "flux-minicluster";

import { ChangingCluster } from "./support/changing";
import { makeClaim } from "./support/claim";
import { useNamespace } from "./support/namespace";
import { sharedCluster } from "./support/sharedCluster";
import { TestStack } from "./support/stack";

const DATA = [{ name: "data", mountPath: "/data", persistentVolumeClaim: "data" }];
/** What a restricted namespace accepts. */
const RESTRICTED = {
    user: { uid: 4242 },
    podSecurityContext: { seccompProfile: { type: "RuntimeDefault" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};
const OBSTACLE = /is not there yet|refuses such pods/;

describe("preview of a cluster whose pods can't start", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });
    const undo: (() => Promise<void>)[] = [];

    after(() => Promise.all(undo.map((remove) => remove())));

    it("names the missing claim and the rule of Pod Security, until both are cured", async () => {
        const cluster = new ChangingCluster(namespace, "kept", { size: 1, volumes: DATA });
        const before = (await cluster.preview()).warnings.join("\n");
        assert.match(before, /kept: PersistentVolumeClaim \S+\/data is not there yet\. Unless this update makes it, /);
        assert.match(
            before,
            /kept: The API server refuses such pods: pods "kept-0-[^"]*" is forbidden: violates PodSecurity "restricted:.*; cure: the fields/,
        );
        undo.push(await makeClaim(namespace, "data"));
        cluster.set(RESTRICTED);
        const { changes, warnings } = await cluster.preview();
        assert.equal(changes["kept-job"], "create");
        assert.deepEqual(
            warnings.filter((text) => OBSTACLE.test(text)),
            [],
        );
    });

    it("says that the namespace is missing, unless the program makes it", async () => {
        const { cluster, image } = await sharedCluster();
        const name = `${namespace.name}-later`;
        let isMade = false;
        const program = async () => {
            const { Namespace } = kubernetes.core.v1;
            const place = isMade ? new Namespace("place", { metadata: { name } }).metadata.name : name;
            new MiniCluster("later", { image, size: 1, namespace: place, restful: { enabled: false } });
        };
        // The account of the tests has rights in one namespace only.
        const stack = new TestStack({ name: "later", program, kubeconfig: cluster.kubeconfig });
        undo.push(async () => stack.forget());
        const obstacles = async () => {
            const messages = (await stack.preview()).events.map(
                ({ diagnosticEvent }) => diagnosticEvent?.message ?? "",
            );
            return messages.filter((text) => OBSTACLE.test(text));
        };
        const [missing, ...others] = await obstacles();
        assert.match(missing, new RegExp(`later: Namespace ${name} is not there yet\\. Unless this update makes it, `));
        assert.deepEqual(others, []);
        isMade = true;
        assert.deepEqual(await obstacles(), []);
    });
});
