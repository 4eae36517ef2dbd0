import assert from "node:assert/strict";

import type { V1Container, V1Job, V1Pod } from "@kubernetes/client-node";

import { mutationOf } from "../../../../../provider/observe/pods/mutation";

type Containers = Partial<V1Container>[];

const job = (containers: Containers, initContainers?: Containers): V1Job =>
    ({ metadata: { namespace: "work" }, spec: { template: { spec: { containers, initContainers } } } }) as V1Job;
const pod = (containers: Containers, initContainers?: Containers, limitRanger?: string): V1Pod =>
    ({
        metadata: {
            annotations: limitRanger && { "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${limitRanger}` },
        },
        spec: { containers, initContainers },
    }) as V1Pod;

const flux = { name: "flux", image: "flux:1" };
/** The program gives the cores. */
const told = { ...flux, env: [{ name: "MINICLUSTER_CORES", value: "2" }] };
const limits = { cpu: "500m", memory: "512Mi" };
const requests = { cpu: "100m", memory: "128Mi" };
const CURE = "Flux counts with the amounts of the program: give resources that admission keeps";

describe("mutationOf", () => {
    it("finds nothing in a pod that only has what Kubernetes adds itself", () => {
        const asked = { ...flux, resources: { limits: { cpu: "0.5", memory: "1Gi" }, requests: { memory: "512Mi" } } };
        const got = {
            ...flux,
            resources: { limits: asked.resources.limits, requests: { cpu: "500m", memory: "0.5Gi" } },
        };
        assert.equal(mutationOf(job([asked]), pod([got])), undefined);
        assert.equal(mutationOf(job([flux]), pod([{ ...flux, resources: {} }])), undefined);
        assert.equal(mutationOf({}, {}), undefined);
    });

    it("tells the defaults of a LimitRange, once for all containers that got the same", () => {
        const both = (name: string) => `cpu, memory request for ${name}; cpu, memory limit for ${name}`;
        const said = `${both("container flux")}; ${both("init container log")}`;
        const resources = { limits, requests };
        assert.deepEqual(
            mutationOf(
                job([flux], [{ name: "log" }]),
                pod([{ ...flux, resources }], [{ name: "log", resources }], said),
            ),
            {
                text:
                    "the LimitRange of namespace work gave limits.cpu 500m, limits.memory 512Mi, requests.cpu 100m " +
                    `and requests.memory 128Mi to the containers flux and log`,
                isGrave: true,
            },
        );
    });

    it("tells the defaults of a LimitRange beside the limits of the program", () => {
        const asked = { ...flux, resources: { limits: { cpu: "2" } } };
        const got = {
            ...flux,
            resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } },
        };
        const said = "memory request for container flux; memory limit for container flux";
        assert.equal(
            mutationOf(job([asked]), pod([got], [], said))?.text,
            `the LimitRange of namespace work gave limits.memory 1Gi and requests.memory 1Gi to the container flux`,
        );
    });

    const rows: [string, Containers, Containers, Containers, string, boolean][] = [
        [
            "values of a webhook",
            [flux],
            [{ ...flux, resources: { requests: { cpu: "1" } } }],
            [],
            "an admission webhook gave requests.cpu 1 to the container flux",
            false,
        ],
        [
            "another limit",
            [{ ...told, resources: { limits: { cpu: "2" } } }],
            [{ ...told, resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }],
            [],
            `an admission webhook or a resize changed limits.cpu of the container flux from 2 to 1. ${CURE}`,
            true,
        ],
        [
            "a limit that is removed",
            [{ ...flux, resources: { limits: { "nvidia.com/gpu": "1" } } }],
            [flux],
            [],
            `an admission webhook removed limits.nvidia.com/gpu of the container flux, which was 1. ${CURE}`,
            true,
        ],
        [
            "a default limit beside cores of the program",
            [told],
            [{ ...told, resources: { limits: { cpu: "1" } } }],
            [],
            `an admission webhook gave limits.cpu 1 to the container flux. ${CURE}`,
            true,
        ],
        [
            "another request, by which Flux counts",
            [{ ...told, resources: { requests: { cpu: "8" } } }],
            [{ ...told, resources: { requests: { cpu: "2" } } }],
            [],
            `an admission webhook or a resize changed requests.cpu of the container flux from 8 to 2. ${CURE}`,
            true,
        ],
        [
            "another request beside a limit, by which Flux counts",
            [{ ...told, resources: { limits: { cpu: "8" }, requests: { cpu: "8" } } }],
            [{ ...told, resources: { limits: { cpu: "8" }, requests: { cpu: "2" } } }],
            [],
            "an admission webhook or a resize changed requests.cpu of the container flux from 8 to 2",
            false,
        ],
        [
            "another image",
            [flux],
            [{ ...flux, image: "mirror.example.com/flux:1" }],
            [],
            "an admission webhook changed image of the container flux from flux:1 to mirror.example.com/flux:1",
            true,
        ],
        [
            "a container",
            [flux],
            [flux, { name: "proxy" }],
            [],
            "an admission webhook added the container proxy, and the pod ends only when it has ended too",
            true,
        ],
        [
            "a sidecar and an init container",
            [flux],
            [flux],
            [{ name: "proxy", restartPolicy: "Always" }, { name: "fetch" }],
            "an admission webhook added the sidecar proxy; an admission webhook added the init container fetch",
            false,
        ],
    ];
    for (const [what, asked, got, init, text, isGrave] of rows) {
        it(`tells ${what}`, () => {
            assert.deepEqual(mutationOf(job(asked), pod(got, init)), { text, isGrave });
        });
    }

    it("takes no value for one of a LimitRange that its annotation doesn't name", () => {
        const got = { ...flux, resources: { requests: { cpu: "1", memory: "1Gi" } } };
        assert.equal(
            mutationOf(job([flux]), pod([got], [], "cpu request for container flux"))?.text,
            "the LimitRange of namespace work gave requests.cpu 1 to the container flux; " +
                "an admission webhook gave requests.memory 1Gi to the container flux",
        );
    });
});
