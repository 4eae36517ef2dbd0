import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { job } from "../../../../../components/pod/job";
import { podTemplate } from "../../../../../components/pod/template";
import { makeFiles } from "../../../support/spec";

const args: Partial<PlainArgs> = {
    command: [],
    elastic: {},
    maxSize: 6,
    resources: { limits: { cpu: "2" } },
    size: 1,
};

function podOf(overrides: Partial<PlainArgs>) {
    const [spec, files] = makeFiles({ ...args, ...overrides });
    return podTemplate(spec, "hpc", files).spec;
}

const sizerOf = (overrides: Partial<PlainArgs>) =>
    podOf(overrides).initContainers.find(({ name }: { name: string }) => name === "flux-elastic");

describe("the pods of a cluster that sizes itself", () => {
    it("gives its container the resources that podTemplate names", () => {
        const resources = { requests: { cpu: "100m" }, limits: { cpu: "200m" } };
        const podTemplateOf = { spec: { initContainers: [{ name: "flux-elastic", resources }] } };
        const { command, resources: merged } = sizerOf({ podTemplate: podTemplateOf });
        assert.ok(command.includes("elastic"));
        assert.deepEqual([merged.requests.cpu, merged.limits], ["100m", { cpu: "200m", memory: "128Mi" }]);
    });

    it("mount the token in the one container that needs it", () => {
        const { containers, initContainers, volumes } = podOf({ user: {} });
        const hasToken = ({ volumeMounts }: { volumeMounts: { name: string }[] }) =>
            volumeMounts.some(({ name }) => name === "flux-elastic");
        assert.deepEqual(
            [...containers, ...initContainers].filter(hasToken).map(({ name }) => name),
            ["flux-elastic"],
        );
        const { projected } = volumes.find(({ name }: { name: string }) => name === "flux-elastic");
        assert.deepEqual(projected.sources[0], { serviceAccountToken: { path: "token", expirationSeconds: 3600 } });
    });

    it("have a service account of their own, without a token elsewhere", () => {
        const { automountServiceAccountToken, serviceAccountName } = podOf({});
        assert.deepEqual([automountServiceAccountToken, serviceAccountName], [false, "lammps-elastic"]);
    });

    it("tell the limits of the size to the container, which is a native sidecar", () => {
        const { env, restartPolicy } = sizerOf({ minSize: 1 });
        assert.equal(restartPolicy, "Always");
        const { value } = env.find(({ name }: { name: string }) => name === "MINICLUSTER_ELASTIC");
        assert.deepEqual(JSON.parse(value), { grace: 20, least: 1, most: 6 });
        const queued = sizerOf({ queueName: "team" }).env.find(
            (one: { name: string }) => one.name === "MINICLUSTER_ELASTIC",
        );
        assert.deepEqual(JSON.parse(queued.value).queued, true);
    });

    it("don't depend on the settings, which are an annotation of the Job", () => {
        const given = { cooldown: 30, sleepAfter: 600 };
        assert.deepEqual(podOf({ elastic: {} }), podOf({ elastic: given }));
        const annotationsOf = (elastic: PlainArgs["elastic"]) => {
            const [spec, files] = makeFiles({ ...args, elastic });
            return job(spec, "hpc", files).metadata.annotations;
        };
        assert.deepEqual(annotationsOf({}), { "flux-minicluster/elastic-settings": '{"cooldown":60}' });
        assert.deepEqual(JSON.parse(annotationsOf(given)["flux-minicluster/elastic-settings"]), given);
    });

    it("find Flux by the user's variables or the view, and not by files that jobs can write", () => {
        const environment = { PATH: "/opt/flux/bin:/bin", OTHER: "x" };
        const { env } = sizerOf({ environment, view: { image: "view" } });
        const named = (wanted: string) => env.find(({ name }: { name: string }) => name === wanted)?.value;
        assert.deepEqual(
            [named("PATH"), named("OTHER"), named("MINICLUSTER_VIEW")],
            ["/opt/flux/bin:/bin", undefined, "/opt/view"],
        );
        const files = makeFiles(args)[1];
        assert.ok(!/^\. .*RUN/m.test(files["lead-program.sh"]));
    });

    it("don't depend on the size", () => {
        assert.deepEqual(podOf({ size: 1 }), podOf({ size: 4 }));
    });

    it("stay Guaranteed if the broker's container makes them so", () => {
        const equal = { cpu: "2", memory: "1Gi" };
        const sizer = sizerOf({ resources: { limits: equal } }).resources;
        assert.deepEqual(sizer.limits, sizer.requests);
        assert.deepEqual(sizerOf({}).resources.requests, { cpu: "10m", memory: "64Mi" });
    });
});
