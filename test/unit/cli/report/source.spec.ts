import assert from "node:assert/strict";

import { MOST_JOBS, readSource } from "../../../../cli/report/source";
import { HISTORY_PROGRAM } from "../../../../provider/flux/programs";
import { connect } from "../../../../provider/kubernetes/client";
import { onCall } from "../../support/calls";
import { useApi } from "../../support/fakeApi";
import { endOf, printed } from "../../support/fakeExec";
import { CREATED, makeJob, makePod } from "../../support/runs";
import { offerOf } from "../../support/waitingCluster";

const INSTANCE = { flux: "0.88.0", now: 2, started: 1, jobs: 1, resources: null, events: [] };

describe("The requests of a report", () => {
    const api = useApi((each) => {
        each.put("jobs", makeJob("lammps", 2) as never);
        [0, 1].forEach((rank) => each.put("pods", makePod("lammps", rank, 3) as never));
    });

    const read = (more: object = {}) =>
        readSource({ kube: connect({ kubeconfig: api.kubeconfig }), namespace: "hpc", name: "lammps", ...more });

    function putEvent(name: string, about: object, seconds: number): void {
        const lastTimestamp = new Date(CREATED + seconds * 1000).toISOString();
        api.put("events", { metadata: { name }, involvedObject: { kind: "Pod", ...about }, lastTimestamp });
    }

    it("are one for the Job, one for pods, one for Events and one command in the lead", async () => {
        const calls: (readonly string[])[] = [];
        api.serveCommands((connection) =>
            onCall(connection, (words, socket) => {
                calls.push(words);
                socket.send(
                    printed(1, `${JSON.stringify(INSTANCE)}\n${JSON.stringify({ id: "f1", name: "a", submit: 1 })}\n`),
                );
                socket.send(endOf(0));
            }),
        );
        const { history, pods, unread } = await read();
        assert.deepEqual(calls, [["ask", HISTORY_PROGRAM, String(MOST_JOBS)]]);
        assert.deepEqual(
            [history?.flux, history?.count, history?.jobs],
            ["0.88.0", 1, [{ id: "f1", name: "a", submit: 1 }]],
        );
        assert.deepEqual([pods.length, unread], [2, []]);
        const paths = api.requests.map((request) => request.replace(/\?.*/, "")).sort();
        const namespace = "/api/v1/namespaces/hpc";
        assert.deepEqual(
            paths.filter((path) => !path.includes("/exec")),
            [`GET ${namespace}/events`, `GET ${namespace}/pods`, "GET /apis/batch/v1/namespaces/hpc/jobs/lammps"],
        );
    });

    describe("for a command with results", () => {
        const parameter = { name: "MINICLUSTER_RESULTS", value: "out" };

        beforeEach(() => {
            const job = makeJob("lammps", 2);
            job.spec!.template.spec!.containers[0].env!.push(parameter);
            api.put("jobs", job as never);
        });

        it("include the end of the lead's log, which lists them", async () => {
            api.logs.set("lammps-0-x7k2p", offerOf({ a: "text" }).line);
            const { told } = await read();
            assert.deepEqual([told?.state, told?.files.map(({ path }) => path)], ["waits", ["a"]]);
            assert.equal(api.requests.filter((request) => request.includes("/log?")).length, 1);
        });

        it("say that the list can't be read", async () => {
            api.fail(/\/log\?/, 403, { message: "pods/log is forbidden", times: 9 });
            const { told, unread } = await read();
            assert.equal(told, undefined);
            assert.ok(
                unread.includes("The results: the lead's log can't be read: pods/log is forbidden."),
                unread.join(),
            );
        });
    });

    it("say which right is missing, and go on without it", async () => {
        api.fail(/events/, 403, { message: "events is forbidden", times: 9 });
        api.fail(/exec/, 403, { message: "no", times: 9 });
        const { history, pods, unread } = await read();
        assert.deepEqual([history, pods.length, unread.length], [undefined, 2, 2]);
        assert.equal(unread[0], "Kubernetes' Events: events is forbidden. The right to list events is needed.");
        assert.match(unread[1], /^Flux' jobs, the queue and the use of cores: .*right to create pods\/exec is needed/);
    });

    it("don't ask a lead that doesn't run, and say why there is none", async () => {
        const conditions = [{ type: "Complete", status: "True", reason: "SuccessPolicy" }];
        const reasons: [object, RegExp][] = [
            [
                { ...makeJob("lammps", 2, { conditions }) },
                /the cluster has ended, and only the lead's broker knows them\.$/,
            ],
            [{ ...makeJob("lammps", 2), spec: { suspend: true } }, /the cluster is suspended, and/],
            [makeJob("lammps", 2), /the lead is not ready, and/],
        ];
        api.remove("pods", "lammps-0-x7k2p");
        for (const [job, why] of reasons) {
            api.put("jobs", job as never);
            const { unread } = await read();
            assert.equal(unread.length, 1);
            assert.match(unread[0], why);
        }
        assert.ok(api.requests.every((request) => !request.includes("exec")));
    });

    it("keep Events of this cluster only, and pods of this Job only", async () => {
        putEvent("a", { name: "lammps-1-abcde" }, 5);
        putEvent("b", { name: "lammps-1-abcde" }, -5);
        putEvent("c", { name: "other-1-abcde" }, 5);
        putEvent("d", { kind: "Job", name: "lammps", uid: "job-uid" }, 5);
        putEvent("e", { kind: "Job", name: "lammps", uid: "earlier" }, 5);
        const foreign = makePod("lammps", 7, 3);
        foreign.metadata!.ownerReferences![0].uid = "earlier";
        api.put("pods", foreign as never);
        const { events, pods } = await read();
        assert.deepEqual(
            events.map(({ metadata }) => metadata.name),
            ["a", "d"],
        );
        assert.equal(pods.length, 2);
    });

    it("end with the outputs of the stack if the Job is gone or is another one, and fail without them", async () => {
        const outputs = { uid: "old", phase: "succeeded" };
        const other = await read({ uid: "old", outputs });
        assert.deepEqual([other.job, other.recorded], [undefined, outputs]);
        assert.match(
            other.unread[0],
            /has the name of the stack's cluster, but another UID\. The report has the stack's outputs\.$/,
        );
        api.remove("jobs", "lammps");
        assert.match(
            (await read({ outputs })).unread[0],
            /Job hpc\/lammps is not in the cluster at http:\/\/127[^ ]*\. /,
        );
        await assert.rejects(read(), /There is no MiniCluster lammps in the namespace hpc of the cluster at /);
    });
});
