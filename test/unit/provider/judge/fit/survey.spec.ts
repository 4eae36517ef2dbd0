import assert from "node:assert/strict";

import { surveyFor } from "../../../../../provider/judge/fit/fit";
import { survey } from "../../../../../provider/judge/fit/survey";
import { connect } from "../../../../../provider/kubernetes/client";
import { limit } from "../../../../../scripts/tests/limits";
import { useApi } from "../../../support/fakeApi";
import { makeNode, podOn, podSpec } from "../../../support/nodes";

describe("survey", () => {
    const api = useApi();
    const read = (spec = podSpec({ cpu: "1" })) =>
        surveyFor({ kubeconfig: api.kubeconfig }, { namespace: "hpc", template: { spec } });
    const paths = () => api.requests.map((request) => request.replace(/^GET ([^?]*).*$/, "$1")).sort();
    const putNodes = (count: number) =>
        Array.from({ length: count }, (_, index) => api.put("nodes", makeNode(`n${index}`, 8) as never));

    it("reads four lists, with one request each", async () => {
        putNodes(3);
        api.put("pods", podOn("n1", podSpec(), { name: "running" }) as never);
        api.put("pods", { ...podOn("n1", podSpec(), { name: "ended" }), status: { phase: "Succeeded" } } as never);
        api.put("pods", { metadata: { name: "waiting" }, spec: podSpec(), status: { phase: "Pending" } });
        api.put("resourcequotas", { metadata: { name: "team-a" } });
        const { devices, limitRanges, nodes, pods, quotas, unread } = await read();
        assert.deepEqual(
            [nodes?.length, pods?.map(({ metadata }) => metadata?.name), quotas?.length, limitRanges?.length],
            [3, ["running"], 1, 0],
        );
        assert.deepEqual([devices, unread], [[], []]);
        assert.deepEqual(paths(), [
            "/api/v1/namespaces/hpc/limitranges",
            "/api/v1/namespaces/hpc/resourcequotas",
            "/api/v1/nodes",
            "/api/v1/pods",
        ]);
    });

    it("reads long lists in pages", async () => {
        putNodes(1200);
        const { nodes } = await read();
        assert.equal(nodes?.length, 1200);
        assert.deepEqual(
            api.requests.filter((request) => request.includes("/nodes")).map((request) => request.replace(/^.*\?/, "")),
            ["limit=500", "limit=500&continue=500", "limit=500&continue=1000"],
        );
    });

    it("reads the DeviceClasses too if the pods request devices", async () => {
        api.put("deviceclasses", { metadata: { name: "a100" }, spec: { extendedResourceName: "nvidia.com/gpu" } });
        const { devices } = await read({
            containers: [{ name: "flux", resources: { limits: { "nvidia.com/gpu": "1" } } }],
        });
        assert.deepEqual(devices, ["nvidia.com/gpu", "deviceclass.resource.kubernetes.io/a100"]);
        assert.equal(api.requests.length, 5);
    });

    it("knows that a cluster without DeviceClasses has none", async () => {
        api.fail(/deviceclasses/, 404);
        const { devices, unread } = await read(podSpec({ "nvidia.com/gpu": "1" }));
        assert.deepEqual([devices, unread], [[], []]);
    });

    it("doesn't take another server's answer for a cluster without nodes and quotas", async () => {
        api.fail(/nodes|quotas/, 404, { times: 2 });
        const { nodes, quotas, unread } = await read();
        assert.deepEqual([nodes, quotas], [undefined, undefined]);
        assert.deepEqual(
            unread.map(({ what }) => what),
            ["nodes", "ResourceQuotas"],
        );
    });

    it("reads no nodes for another scheduler, which has its own rules", async () => {
        await read(podSpec({}, { schedulerName: "volcano" }));
        assert.deepEqual(paths(), ["/api/v1/namespaces/hpc/limitranges", "/api/v1/namespaces/hpc/resourcequotas"]);
    });

    it("leaves out the lists for which a right is missing", async () => {
        api.fail(/\/api\/v1\/(nodes|pods)/, 403, { message: "nodes is forbidden", times: 2 });
        const { limitRanges, nodes, pods, unread } = await read();
        assert.deepEqual([nodes, pods, limitRanges], [undefined, undefined, []]);
        assert.deepEqual(unread, [
            { what: "nodes", why: "nodes is forbidden" },
            { what: "pods of all namespaces", why: "nodes is forbidden" },
        ]);
    });

    it("leaves out what isn't answered by the deadline, and asks for no further page", async () => {
        putNodes(1200);
        api.fail(/pods/, "hang");
        api.fail(/nodes.*continue=500$/, "hang");
        const scope = { namespace: "hpc", nodes: true, devices: false };
        const deadline = limit(0.5) * 1000;
        const why = `not read within ${deadline / 1000} s`;
        const { nodes, pods, quotas, unread } = await survey(connect({ kubeconfig: api.kubeconfig }), scope, deadline);
        assert.deepEqual([nodes, pods, quotas], [undefined, undefined, []]);
        assert.deepEqual(unread, [
            { what: "nodes", why },
            { what: "pods of all namespaces", why },
        ]);
        assert.equal(api.requests.filter((request) => request.includes("/nodes")).length, 2);
    });

    it("reads once for all clusters of a program", async () => {
        const [one, other] = await Promise.all([read(), read()]);
        assert.equal(one.nodes, other.nodes);
        assert.equal(api.requests.length, 4);
    });

    it("repeats no request, and doesn't fail, if the API server can't be reached", async () => {
        api.fail(/./, "cut", { times: 4 });
        const { unread, ...parts } = await read();
        assert.deepEqual(
            Object.values(parts).filter((part) => part !== undefined),
            [[]],
        );
        assert.deepEqual([unread.length, api.requests.length], [4, 4]);
    });
});
