import assert from "node:assert/strict";

import { assertPreview, convert } from "./support";

const sidecar = (fields: object, spec: object = {}, runner: object = { command: "a" }) =>
    convert({ ...spec, containers: [{ image: "b:1", name: "web", ...fields }] }, runner);
const path = "spec.containers[1]";

describe("other container of the operator's resource", () => {
    it("runs its commands in one bash, as in the operator", () => {
        const commands = { init: "i", servicePre: "s", post: "p" };
        const found = [{}, { logging: { strict: true } }].map((spec) => {
            const { args, warnings } = sidecar({ command: "c", commands }, spec);
            assertPreview(args);
            assert.deepEqual(warnings, []);
            return args["sidecars"][0].command;
        });
        assert.deepEqual(found, [
            ["/bin/bash", "-c", "i\ns\nc\np"],
            ["/bin/bash", "-c", "i\nset -eE -o pipefail\ns\nc\np"],
        ]);
    });

    it("starts the image's own program with noWrapEntrypoint, and has a warning about its commands", () => {
        const { args, warnings } = sidecar({ noWrapEntrypoint: true, command: "c", commands: { init: "i" } });
        assert.equal(args["sidecars"][0].command, undefined);
        const reason = "is ignored, because noWrapEntrypoint starts the image's own program. Remove one of them.";
        assert.deepEqual(warnings, [`${path}.commands.init: ${reason}`, `${path}.command: ${reason}`]);
    });

    it("gives its volumes to the container that runs Flux, with a warning", () => {
        const volumes = { data: { path: "/data", claimName: "c" } };
        const { args, warnings } = sidecar({ command: "c", volumes });
        assert.deepEqual(args["volumes"], [{ name: "data", mountPath: "/data", persistentVolumeClaim: "c" }]);
        assert.deepEqual(warnings, [
            `${path}.volumes: are mounted in the container that runs Flux too: a sidecar has the volumes of that container. ` +
                "Make sure that their paths are free there.",
        ]);
        assert.deepEqual(sidecar({ command: "c", volumes }, {}, { command: "a", volumes }).warnings, []);
    });

    const none = "has no effect on a container that doesn't run Flux.";
    const warned: [what: string, fields: object, warnings: string[]][] = [
        [
            "hooks of the ranks",
            { command: "c", commands: { pre: "a", workerPre: "b" } },
            [
                `${path}.commands.pre: ${none} Write it as servicePre or as a part of the command.`,
                `${path}.commands.workerPre: ${none} Remove it.`,
            ],
        ],
        [
            "fields of the other container",
            { command: "c", launcher: true, logs: "/x" },
            [`${path}.launcher: ${none} Remove it.`, `${path}.logs: ${none} Remove it.`],
        ],
        [
            "a missing command",
            { commands: { init: "i" } },
            [
                `${path}.command: is missing: here the image's own program runs, and the operator's container ends at once. Give a command, or set noWrapEntrypoint.`,
                `${path}.commands.init: is ignored without a command. Write it as the command.`,
            ],
        ],
        [
            "a script, which the operator doesn't run",
            { command: "c", commands: { script: "s" } },
            [
                `${path}.commands.script: is written to a file, which the operator doesn't run in a container without Flux. ` +
                    "Give it as command, without the backslashes before $ and `.",
            ],
        ],
        [
            "a missing name",
            { command: "c", name: "" },
            [`${path}.name: is missing, which the operator refuses. It is now "container-1"; give a name.`],
        ],
        [
            "variables of the operator's start script",
            { command: "flux proxy $fluxsocket a" },
            [
                `${path}.command: uses $fluxsocket, which only the operator's start script sets; use $FLUX_URI in the command; a hook runs before there is a socket.`,
            ],
        ],
        [
            "a missing image",
            { command: "c", image: "" },
            [
                `${path}.image: is missing, so it is the operator's default ghcr.io/rse-ops/accounting:app-latest. Give an image.`,
            ],
        ],
    ];
    for (const [what, fields, warnings] of warned) {
        it(`gets a warning about ${what}`, () => {
            const { args, warnings: found } = sidecar(fields);
            assert.deepEqual(found, warnings);
            assertPreview(args);
        });
    }
});

describe("volume of the operator's resource", () => {
    const volume = (fields: object) => {
        const { args, warnings } = convert({}, { volumes: { data: { path: "/data", ...fields } } });
        return { ...args, warnings };
    };
    const inner = "spec.containers[0].volumes.data";

    const warned: [what: string, fields: object, warnings: string[]][] = [
        [
            "no source",
            {},
            [`${inner}: has no source to mount; it is ignored. Give one, such as claimName or hostPath.`],
        ],
        [
            "a second source, of which the operator takes the first",
            { claimName: "c", secretName: "s", items: { a: "b" } },
            [
                `${inner}.claimName: has no effect beside secretName, as in the operator. Remove it.`,
                `${inner}.items: has no effect beside secretName, as in the operator. Remove it.`,
            ],
        ],
        [
            "an emptyDir on disk and at another path",
            { emptyDir: true, readOnly: true },
            [
                `${inner}.emptyDir: is on disk; here /dev/shm is always in memory. Raise the memory limit, if there is one.`,
                `${inner}.path: is "/data", but the operator mounts each emptyDir at /dev/shm, and so does this. For a directory there, give volumes with emptyDir.`,
                `${inner}.readOnly: has no effect on an emptyDir, as in the operator. Remove it.`,
            ],
        ],
    ];
    for (const [what, fields, warnings] of warned) {
        it(`gets a warning about ${what}`, () => assert.deepEqual(volume(fields).warnings, warnings));
    }
});

describe("pod of the operator's resource", () => {
    it("gets a warning about each field of its security context that the operator ignores", () => {
        const { args, warnings } = convert({ pod: { securityContext: { fsGroup: 1, runAsUser: 1000 } } });
        assert.deepEqual(args["podSecurityContext"], { fsGroup: 1, runAsUser: 1000 });
        assert.deepEqual(warnings, [
            "spec.pod.securityContext.runAsUser: takes effect here; the operator ignores all fields but fsGroup. Remove it to keep that.",
        ]);
    });

    it("has no affinity to nodes if disableAffinity is set, as in the operator", () => {
        const nodeAffinity = { zone: ["a"] };
        assert.ok(convert({ pod: { nodeAffinity } }).args["podTemplate"].spec.affinity.nodeAffinity);
        const { args, warnings } = convert({ network: { disableAffinity: true }, pod: { nodeAffinity } });
        assert.deepEqual(
            [args["podTemplate"], warnings],
            [
                undefined,
                [
                    "spec.pod.nodeAffinity: has no effect beside network.disableAffinity, as in the operator. Remove one of them.",
                ],
            ],
        );
    });
});

describe("flux of the operator's resource", () => {
    it("gets a warning about each part of bursting, with what to do instead", () => {
        const bursting = { hostlist: "a-[0-3]", clusters: [{ name: "b", size: 2 }] };
        const instead =
            "no counterpart: a cluster has the pods of one Job. Instead, make a MiniCluster for each Kubernetes cluster, and submit to each by FluxJob or flux proxy.";
        assert.deepEqual(convert({ flux: { bursting } }).warnings, [
            `spec.flux.bursting.hostlist: is "a-[0-3]", which has ${instead}`,
            `spec.flux.bursting.clusters: has ${instead}`,
        ]);
    });

    it("is quiet if logging.quiet is set, whatever its log level is", () => {
        const { args } = convert({ logging: { quiet: true }, flux: { logLevel: 7 } });
        assert.deepEqual(args["broker"], { logLevel: 0 });
    });

    it("waits for all ranks of size, as in the operator, if there is a larger maxSize", () =>
        assert.deepEqual(convert({ size: 2, maxSize: 4 }).args["minSize"], 2));
});
