import assert from "node:assert/strict";

import { assertPreview, convert } from "./support";

const earlier = (spec: object, container: object = { command: "a" }) => {
    const { args, warnings } = convert(spec, container, "v1alpha1");
    assertPreview(args);
    return { args, warnings };
};

describe("resource of v1alpha1", () => {
    it("has Flux in its image, so it needs no view", () => {
        const { args, warnings } = earlier({});
        assert.deepEqual(
            [args, warnings],
            [{ image: "a:1", size: 2, command: ["a"], tasks: 1, backoffLimit: 100 }, []],
        );
    });

    it("without a command runs the RESTful server, with its port and its user", () => {
        const { args, warnings } = earlier({ fluxRestful: { port: 5001, username: "me", branch: "main" } }, {});
        assert.deepEqual([args["restful"], warnings], [{ port: 5001, user: "me" }, []]);
    });

    it("has no RESTful server if it is interactive", () => {
        const { args } = earlier({ interactive: true, fluxRestful: { port: 5001 } }, {});
        assert.deepEqual(args["restful"], { enabled: false });
    });

    it("gets warnings about the server's other fields, which show no secret", () => {
        const { warnings } = earlier(
            {
                fluxRestful: { branch: "test", secretKey: "hush", token: "hush" },
                users: [{ name: "me", password: "hush" }],
            },
            {},
        );
        const generated = "is ignored: it is generated; see the outputs restfulSecretKey and restfulToken.";
        assert.deepEqual(warnings, [
            'spec.users[0].name: is "me", an account of the RESTful server; here a cluster has one user. Make a MiniCluster for each user, or give restful.user.',
            "spec.users[0].password: is ignored: the user's token is generated; see the output restfulToken.",
            'spec.fluxRestful.branch: is "test"; here the server is a release of flux-restful. Give restful.version, and an image that has it.',
            `spec.fluxRestful.secretKey: ${generated}`,
            `spec.fluxRestful.token: ${generated}`,
        ]);
    });

    it("has its user, and the capabilities of its security context", () => {
        const { args, warnings } = earlier(
            {},
            {
                command: "a",
                fluxUser: { name: "f", uid: 1001 },
                securityContext: { privileged: true, addCapabilities: ["SYS_ADMIN"] },
            },
        );
        assert.deepEqual(
            [args["user"], args["securityContext"], warnings],
            [{ name: "f", uid: 1001 }, { privileged: true, capabilities: { add: ["SYS_ADMIN"] } }, []],
        );
    });

    it("has its volumes: paths of the node, claims that the operator made, and existing ones", () => {
        const { args, warnings } = earlier(
            {
                volumes: {
                    data: { path: "/tmp/data" },
                    store: { path: "/tmp/store", storageClass: "gcs", driver: "gcs.csi", capacity: "5Gi" },
                    idle: { path: "/x" },
                },
            },
            {
                command: "a",
                volumes: { data: { path: "/data" }, store: { path: "/store", readOnly: true } },
                existingVolumes: { claim: { path: "/claim", claimName: "c" } },
            },
        );
        assert.deepEqual(args["volumes"], [
            { name: "data", mountPath: "/data", hostPath: "/tmp/data" },
            { name: "store", mountPath: "/store", readOnly: true, persistentVolumeClaim: "store-claim" },
            { name: "claim", mountPath: "/claim", persistentVolumeClaim: "c" },
        ]);
        const made = 'belongs into the PersistentVolume or the claim "store-claim", which you create yourself.';
        assert.deepEqual(warnings, [
            'spec.containers[0].volumes.store: is a volume that the operator makes, of the storage class "gcs". ' +
                'Here the claim must exist: create the PersistentVolumeClaim "store-claim".',
            `spec.volumes.store.driver: ${made}`,
            `spec.volumes.store.capacity: ${made}`,
            "spec.volumes.idle: is in no container, and nothing is made for it. Remove it.",
        ]);
    });

    it("gets warnings about fields of the other version, and is converted with them", () => {
        const { args, warnings } = earlier({}, { command: "a", imagePullPolicy: "Always" });
        assert.deepEqual(
            [args["imagePullPolicy"], warnings],
            [
                "Always",
                [
                    "spec.containers[0].imagePullPolicy: is a field of v1alpha2, and the operator ignores it in v1alpha1. " +
                        "It is converted; remove it if it should have no effect.",
                ],
            ],
        );
    });

    it("has the fields of before the first release at their later places, with warnings", () => {
        const { args, warnings } = earlier(
            { test: true, localDeploy: true },
            { command: "a", preCommand: "b", fluxOptionFlags: "-ompi=x", fluxLogLevel: 7 },
        );
        assert.deepEqual(
            [args["hooks"], args["shellOptions"], args["broker"]],
            [{ pre: "set -eE -o pipefail\nb" }, { mpi: "x" }, { logLevel: 0 }],
        );
        const read = (place: string) =>
            `is a field of the operator before 0.1.0, which it ignores now. It is read as ${place}; write that.`;
        assert.deepEqual(warnings, [
            `spec.test: ${read("spec.logging.quiet")}`,
            `spec.containers[0].preCommand: ${read("commands.pre")}`,
            `spec.containers[0].fluxLogLevel: ${read("spec.flux.logLevel")}`,
            `spec.containers[0].fluxOptionFlags: ${read("spec.flux.optionFlags")}`,
            "spec.localDeploy: is a field of other versions, which the operator ignores in v1alpha1; remove it.",
        ]);
    });
});
