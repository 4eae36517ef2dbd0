import assert from "node:assert/strict";

import { commandOutput } from "../../../../provider/jobStatus/commandOutput";
import type { JobStatusInputs } from "../../../../provider/jobStatus/properties";
import { type Waited, waitForJob } from "../../../../provider/jobStatus/wait";
import { connect } from "../../../../provider/kubernetes/client";
import { putLeadService, useApi } from "../../support/fakeApi";
import { FakeLog } from "../../support/fakeLog";
import { makePod, makeStatusInputs } from "../../support/states";
import { offerOf } from "../../support/waitingCluster";
import { soon } from "../../../e2e/support/until";

const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.5Z`;

describe("the output of a command while an update waits", () => {
    const api = useApi(putLeadService);
    let log: FakeLog;
    /** Lines that stay. */
    let told: string[];
    let rows: string[];
    let warned: string[];

    const PRINTER = { tell: (line: string) => void told.push(line), flush: async () => undefined };

    beforeEach(() => {
        [log, told, rows, warned] = [new FakeLog(), [], [], []];
        api.serveLog = log.serve;
        putJob();
    });

    function putJob(status: object = {}): void {
        const created = new Date(Date.now() - 10_000).toISOString();
        api.put("jobs", {
            metadata: { name: "lammps", uid: "job-uid", creationTimestamp: created },
            spec: { parallelism: 1 },
            status: { startTime: created, ...status },
        });
    }

    function putLead(state: object, { name = "lammps-0-abcde", isReady = true, uid = "pod-0" } = {}): void {
        const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: new Date() }];
        const container = { name: "flux", image: "", imageID: "", ready: isReady, restartCount: 0, state };
        const creationTimestamp = new Date(uid === "pod-0" ? 1 : 2);
        const status = { phase: "Running", conditions, containerStatuses: [container] };
        api.put("pods", JSON.parse(JSON.stringify(makePod(0, status, { name, uid, creationTimestamp }))));
    }

    const running = { running: { startedAt: new Date() } };
    const ended = { terminated: { exitCode: 0, startedAt: new Date(), finishedAt: new Date() } };

    function end(): void {
        putLead(ended, { isReady: false });
        putJob({ conditions: [{ type: "Complete", status: "True" }] });
        log.end();
    }

    function wait(
        overrides: Partial<JobStatusInputs> = {},
        { cancel = new AbortController(), isResumed = false } = {},
    ) {
        const inputs = makeStatusInputs({
            kubeconfig: api.kubeconfig,
            size: 1,
            ephemeral: true,
            waitFor: "completed",
            ...overrides,
        });
        const kube = connect({ kubeconfig: api.kubeconfig });
        const output = commandOutput(kube, "hpc", inputs, { printer: PRINTER, isResumed });
        const report = (line: string, isWarning?: boolean) => (isWarning ? warned : rows).push(line);
        const means = { report, cancel: cancel.signal, output };
        return waitForJob(kube, { namespace: "hpc", name: "lammps", uid: "job-uid" }, inputs, means);
    }

    const until = (holds: () => boolean): Promise<boolean> =>
        soon(() => JSON.stringify({ rows, told, requests: logRequests() }), holds);

    const logRequests = () => api.requests.filter((request) => request.includes("/log?"));
    const stream = { streamOutput: true };

    it("shows its last line on the row, with one connection that begins at the end of the log", async () => {
        log.add(time(1), "first\n");
        putLead(running);
        const waiting = wait();
        await until(() => rows.at(-1) === "command runs; first");
        log.add(time(2), "minicluster: progress 0.4 step 400 of 1,000\n");
        log.add(time(2), "energy -3\n");
        await until(() => rows.at(-1) === "command runs; 40 %, step 400 of 1,000; energy -3");
        assert.equal(logRequests().length, 1);
        assert.match(logRequests()[0], /tailLines=1/);
        end();
        const { last, progress }: Waited = await waiting;
        assert.deepEqual([last.outcome, progress?.fraction, told], ["reached", 0.4, []]);
    });

    it("prints each line once with stream, also when connections break", async () => {
        log.add(time(1), "first\n");
        putLead(running, { isReady: false });
        const waiting = wait(stream);
        await until(() => told.length === 1);
        putLead(running);
        log.add(time(2), "second\n");
        log.cut(`${time(3)} thi`);
        log.add(time(3), "third\n");
        await until(() => told.length === 3);
        end();
        await waiting;
        assert.deepEqual(told, ["first", "second", "third"]);
    });

    it("prints the output of a command that was faster than the wait", async () => {
        log.add(time(1), "done\n");
        end();
        await wait(stream);
        assert.deepEqual(told, ["done"]);
    });

    it("prints only new lines if an earlier update has waited for the same Job", async () => {
        log.add(time(1), "old\n");
        log.add(time(2), "last\n");
        putLead(running);
        const waiting = wait(stream, { isResumed: true });
        await until(() => told.length > 0);
        log.add(time(3), "new\n");
        await until(() => told.length > 1);
        end();
        await waiting;
        assert.deepEqual(told, ["last", "new"]);
    });

    it("says that the lead was replaced, and that lines were rotated away", async () => {
        log.add(time(1), "one\n");
        putLead(running);
        const waiting = wait(stream);
        await until(() => told.length === 1);
        log.rotate();
        log.cut();
        log.add(time(9), "two\n");
        await until(() => told.length === 3);
        putLead(running, { name: "lammps-0-fghij", uid: "pod-0b" });
        putLead(ended, { isReady: false });
        const next = new FakeLog();
        next.add(time(11), "three\n");
        api.serveLog = (url, response) => (url.pathname.includes("fghij") ? next : log).serve(url, response);
        log.end();
        await until(() => told.length === 5);
        putLead(ended, { name: "lammps-0-fghij", uid: "pod-0b", isReady: false });
        putJob({ conditions: [{ type: "Complete", status: "True" }] });
        next.end();
        await waiting;
        assert.deepEqual(told, [
            "one",
            "(lines may be missing here: the kubelet had rotated the log before it was read)",
            "two",
            "(the lead was replaced; the output of pod lammps-0-fghij follows)",
            "three",
        ]);
    });

    it("doesn't wait for a log that has no end", async () => {
        log.add(time(1), "one\n");
        putLead(running);
        const waiting = wait(stream);
        await until(() => told.length === 1);
        putLead(ended, { isReady: false });
        putJob({ conditions: [{ type: "Complete", status: "True" }] });
        await waiting;
        assert.match(told.at(-1) ?? "", /^\(the update has not waited for the rest of the output; /);
    });

    it("ends at once when it is interrupted", async () => {
        const cancel = new AbortController();
        putLead(running);
        const waiting = wait(stream, { cancel });
        await until(() => logRequests().length === 1);
        cancel.abort();
        assert.equal((await waiting).interrupted, true);
        assert.deepEqual(told, []);
    });

    it("says once that the right to read logs is missing, and waits as before", async () => {
        api.fail(/\/log\?/, 403, { times: 99, message: "pods/log is forbidden" });
        putLead(running);
        const waiting = wait();
        const words = "the lead's output can't be shown: the right to get pods/log is needed";
        await until(() => rows.at(-1) === "command runs" || rows.at(-1) === words);
        await until(() => rows.includes(words));
        end();
        assert.equal((await waiting).last.outcome, "reached");
        assert.equal(rows.filter((row) => row === words).length, 1);
        assert.equal(logRequests().length, 1);
    });

    it("warns of results that are left to the user, and ends as a success while the Job runs", async () => {
        const keeps = { at: "results/lammps", isFetched: true, limit: 3, onFailure: false, ofAllRanks: false };
        log.add(time(1), offerOf({ a: "large" }).line);
        putLead(running);
        const { kept, last } = await wait({ keeps });
        const left = "they are 1 file of 5 bytes, above results.limit";
        assert.deepEqual([last.phase, last.outcome, kept?.left], ["succeeded", "reached", left]);
        const how = "npx flux-minicluster results lammps -n hpc fetches them until 2025-11-30T00:00:00Z";
        assert.deepEqual(warned, [`the results are not fetched: ${left}; ${how}`]);
    });

    it("shows only the progress of an output that is a secret", async () => {
        log.add(time(1), "password\n");
        log.add(time(1), "minicluster: progress 0.5 half\n");
        log.add(time(2), "password\n");
        putLead(running);
        const waiting = wait({ ...stream, secretOutput: true });
        log.add(time(3), "minicluster: progress 0.6 more\n");
        await until(() => rows.at(-1) === "command runs; 60 %, more");
        end();
        await waiting;
        assert.deepEqual(told, []);
    });

    for (const [what, inputs] of [
        ["if it waits for the quorum only", { waitFor: "ready" }],
        ["of a persistent cluster", { waitFor: "ready", ephemeral: false }],
    ] as const) {
        it(`isn't read ${what}`, async () => {
            putLead(running);
            await wait(inputs);
            assert.deepEqual(logRequests(), []);
        });
    }
});
