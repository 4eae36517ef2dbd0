import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { Interrupt } from "../../../../components/features/update";
import { ANNOTATIONS } from "../../../../provider/contract/labels";
import type { IndexedJobInputs, IndexedJobOutputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { UNKNOWN } from "../../../../provider/host/unknown";
import { onCall } from "../../support/calls";
import { putLeadService, useApi } from "../../support/fakeApi";
import { endOf, printed } from "../../support/fakeExec";
import { makeInputs } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { putCluster } from "../../support/persistentCluster";
import { operate } from "../../support/program";

const TRAIN = "run\tf2x\t0-1\t10800.5\ttrain\n";
const SOLVE = "run\tf3y\t[3]\t7.0\tsolve\n";
const WAITS = "pending\tf4z\t\t0.0\tlater\n";
const ONE = "Flux job runs: train (f2x, ranks 0-1, for 3 h 0 min)";
const CURE = 'Wait until it ends, cancel it, or set interrupt to "allow" to end it.';
const NO_ANSWER = "the lead's broker does not answer";

describe("The guard of the jobs on a persistent cluster", () => {
    const { argv } = process;
    const { log } = console;
    const api = useApi(putLeadService);
    let said: string[];
    /** What the lead prints, or the exit code of its failure. */
    let lead: string | number;
    let serve: () => void;

    beforeEach(() => {
        said = [];
        console.log = (line: string) => said.push(line);
        lead = TRAIN;
        serve = tell;
    });

    afterEach(() => {
        console.log = log;
        process.argv = argv;
        newOperation();
    });

    function tell(): void {
        api.serveCommands((connection) =>
            onCall(connection, ([name, most], socket) => {
                assert.deepEqual([name, most], ["list", "11"]);
                if (typeof lead === "number") {
                    socket.send(printed(2, NO_ANSWER));
                    socket.send(endOf(lead));
                    return;
                }
                socket.send(printed(1, lead));
                socket.send(endOf(0));
            }),
        );
    }

    const inputsOf = (args: Partial<PlainArgs> = {}, overrides: Partial<IndexedJobInputs> = {}) =>
        makeInputs({ command: [], size: 4, maxSize: 4, ...args }, { kubeconfig: api.kubeconfig, ...overrides });
    const outputsOf = (inputs: IndexedJobInputs): IndexedJobOutputs => ({
        ...inputs,
        schemaVersion: 1,
        finished: false,
    });
    const changed = (args: Partial<PlainArgs> = {}) => inputsOf({ image: "other", ...args });

    function putLive(inputs = inputsOf(), flux?: object): string {
        serve();
        return putCluster(api, inputs, flux);
    }

    function putAsleep(inputs: IndexedJobInputs): string {
        const id = putLive(inputs);
        const { metadata, spec, status } = api.get("jobs", "lammps")!;
        const annotations = { ...metadata["annotations"], [ANNOTATIONS.asleep]: "2026-01-01T00:00:00Z" };
        // Kubernetes resets the start only when it resumes the Job.
        const asleep = { ...status, active: 0, ready: 0 };
        api.put("jobs", { metadata: { ...metadata, annotations }, spec: { ...spec, suspend: true }, status: asleep });
        return id;
    }

    async function check(olds: IndexedJobInputs, news: IndexedJobInputs): Promise<string[]> {
        const { failures = [] } = await indexedJob.check(olds, news);
        return failures.map(({ property, reason }) => `${property}: ${reason}`);
    }

    const writes = () => api.requests.filter((request) => !/^(GET|EXEC)/.test(request));

    it("refuses in check to replace the Job, and names the job", async () => {
        putLive();
        assert.deepEqual(await check(inputsOf(), changed()), [
            `interrupt: This change replaces the Job, but the Job's ${ONE}. ${CURE}`,
        ]);
        assert.deepEqual(said, []);
    });

    it("names each job, up to ten, and says what becomes of those that wait", async () => {
        putLive();
        lead = TRAIN + SOLVE.repeat(11) + WAITS;
        const [failure] = await check(inputsOf(), changed());
        assert.match(
            failure,
            /Flux jobs \(12\) run: train \(f2x,.*, solve \(f3y, rank 3, for 7 s\), and 2 more\. Wait/,
        );
        assert.deepEqual(said, ["lammps: This change replaces the Job: its pending jobs are lost: later (f4z)."]);
    });

    it("says that an archive keeps the jobs that wait", async () => {
        const archive = { hostPath: "/queue" };
        putLive(inputsOf({ archive }));
        lead = WAITS.repeat(11);
        assert.deepEqual(await check(inputsOf({ archive }), changed({ archive })), []);
        assert.match(
            said.join(),
            /: the archive keeps its pending jobs: (later \(f4z\), ){9}later \(f4z\), and more\.$/,
        );
    });

    it("asks nothing if the change ends no pod", async () => {
        putLive();
        assert.deepEqual(await check(inputsOf(), inputsOf({ annotations: { a: "1" } })), []);
        assert.ok(!api.requests.some((request) => request.startsWith("EXEC")));
    });

    it("says in check what interrupt allows to end", async () => {
        putLive();
        lead = TRAIN + WAITS;
        assert.deepEqual(await check(inputsOf(), changed({ interrupt: Interrupt.Allow })), []);
        assert.deepEqual(said, [
            `lammps: This change replaces the Job, as interrupt allows: the Job's ${ONE}.`,
            "lammps: This change replaces the Job: its pending jobs are lost: later (f4z).",
        ]);
    });

    const archived = { archive: { hostPath: "/queue" } };
    const others: [string, Partial<PlainArgs>][] = [
        ["takes the archive away", {}],
        ["names another volume", { archive: { persistentVolumeClaim: "queue" } }],
        ["names another folder", { archive: { hostPath: "/queue", folder: "new" } }],
    ];
    for (const [what, args] of others) {
        it(`says that the jobs are lost which wait, if the change ${what}`, async () => {
            putLive(inputsOf(archived));
            lead = WAITS;
            await check(inputsOf(archived), inputsOf(args));
            assert.match(said.join(), /its pending jobs are lost: later/);
        });

        it(`says that the jobs of a cluster that sleeps aren't kept, if the change ${what}`, async () => {
            putAsleep(inputsOf(archived));
            await check(inputsOf(archived), inputsOf(args));
            assert.match(
                said.join(),
                /aren't known while it sleeps, and the cluster that follows has another queue\.$/,
            );
        });
    }

    it("asks the lead of a cluster whose earlier leads have failed often", async () => {
        putLive();
        const { metadata, status } = api.get("pods", "lammps-0-x")!;
        for (let index = 0; index < 25; index++) {
            api.put("pods", {
                metadata: { ...metadata, name: `lammps-0-${String(index).padStart(2, "0")}`, uid: `old-${index}` },
                status: { phase: "Failed" },
            });
        }
        api.remove("pods", "lammps-0-x");
        api.put("pods", { metadata, status });
        assert.match((await check(inputsOf(), changed())).join(), /Flux job runs: train/);
    });

    it("counts a volume as the same although the API server has added its defaults", async () => {
        putLive(inputsOf(archived));
        const { metadata, spec, status } = api.get("jobs", "lammps")!;
        const { volumes } = spec["template"].spec;
        const own = volumes.find(({ name }: { name: string }) => name === "flux-archive");
        own.hostPath = { ...own.hostPath, type: "Directory" };
        api.put("jobs", { metadata, spec, status });
        lead = WAITS;
        await check(inputsOf(archived), changed(archived));
        assert.match(said.join(), /the archive keeps its pending jobs: later/);
    });

    it("says nothing of the jobs that wait on a cluster that sleeps, except that its archive keeps them", async () => {
        const id = putAsleep(inputsOf(archived));
        assert.deepEqual(await check(inputsOf(archived), changed(archived)), []);
        assert.match(said.join(), /the archive keeps its pending jobs, which aren't known while it sleeps\.$/);
        await indexedJob.delete(id, outputsOf(inputsOf(archived)));
    });

    describe("in the second check of a replacement, which has no old inputs", () => {
        const urn = "urn:of:the-job";
        const wanted = (args: Partial<PlainArgs> = {}) => ({ ...inputsOf(args), resourceUrn: urn });

        it("says nothing more, and asks nothing", async () => {
            putLive();
            lead = WAITS;
            const news = { ...changed(), resourceUrn: urn };
            await check(wanted(), news);
            const [lines, requests] = [said.length, api.requests.length];
            await check({} as IndexedJobInputs, news);
            assert.deepEqual([said.length, lines], [1, 1]);
            assert.ok(!api.requests.slice(requests).some((request) => request.startsWith("EXEC")));
        });

        it("says what a replacement at the user's request ends, which has no first one", async () => {
            putLive();
            lead = TRAIN + WAITS;
            await check({} as IndexedJobInputs, wanted());
            assert.match(said[0], /its pending jobs are lost: later \(f4z\)\.$/);
            assert.match(
                said[1],
                /the update fails: Job hpc\/lammps is not replaced, because its Flux job runs: train/,
            );
            said = [];
            await check({} as IndexedJobInputs, wanted({ interrupt: Interrupt.Allow }));
            assert.match(
                said[0],
                /replaces the Job if --replace or a taint names it, as interrupt allows: the Job's Flux job runs: train/,
            );
        });
    });

    it("judges again, and patches, if the Job has changed since", async () => {
        const id = putLive();
        const smaller = inputsOf({ size: 2, maxSize: 4 });
        api.fail(/^PATCH .*jobs/, 409, { times: 2 });
        await indexedJob.update(id, outputsOf(inputsOf()), smaller);
        assert.equal(api.get("jobs", "lammps")?.["spec"].parallelism, 2);
        assert.equal(api.requests.filter((request) => request.startsWith("EXEC")).length, 3);
    });

    it("refuses to remove ranks only because of jobs on them", async () => {
        const id = putLive();
        lead = TRAIN + SOLVE + WAITS;
        const smaller = inputsOf({ size: 2, maxSize: 4 });
        const effect = "This change removes 2 of the Job's 4 ranks (size 2), but the Job's Flux job runs: solve (f3y";
        const [failure] = await check(inputsOf(), smaller);
        assert.ok(failure.startsWith(`interrupt: ${effect}`), failure);
        await assert.rejects(indexedJob.update(id, outputsOf(inputsOf()), smaller), ({ message }: Error) =>
            message.startsWith(effect),
        );
        assert.deepEqual([writes(), said], [[], []]);
        lead = TRAIN;
        assert.deepEqual(await check(inputsOf(), smaller), []);
        await indexedJob.update(id, outputsOf(inputsOf()), smaller);
        assert.equal(api.get("jobs", "lammps")?.["spec"].parallelism, 2);
    });

    it("refuses in update to suspend the cluster", async () => {
        const id = putLive();
        await assert.rejects(indexedJob.update(id, outputsOf(inputsOf()), inputsOf({ suspend: true })), {
            message: `This change suspends the Job, but the Job's ${ONE}. ${CURE}`,
        });
        assert.deepEqual(writes(), []);
    });

    it("refuses in delete what check could not see", async () => {
        const id = putLive();
        lead = "";
        assert.deepEqual(await check(inputsOf(), changed()), []);
        lead = TRAIN;
        await assert.rejects(indexedJob.delete(id, outputsOf(inputsOf())), {
            message: `Job hpc/lammps is not replaced, because its ${ONE}. ${CURE}`,
        });
        lead = WAITS;
        await indexedJob.delete(id, outputsOf(inputsOf()));
        assert.equal(api.get("jobs", "lammps"), undefined);
    });

    it("refuses in diff that the lead Service is replaced, and in delete that the cluster leaves the program", async () => {
        await operate(true, ({ message }) => said.push(message));
        const id = putLive();
        await assert.rejects(
            indexedJob.diff(id, outputsOf(inputsOf()), inputsOf({}, { lead: UNKNOWN as any })),
            /is not replaced together with its lead Service, because its Flux job runs: train/,
        );
        await assert.rejects(
            indexedJob.delete(id, outputsOf(inputsOf())),
            /is not deleted, because its Flux job runs: train .* pulumi destroy without --target also deletes it/,
        );
        assert.deepEqual(writes(), []);
    });

    it("says in pulumi destroy what it ends", async () => {
        await operate(false);
        const id = putLive();
        lead = TRAIN + WAITS;
        await indexedJob.delete(id, outputsOf(inputsOf()));
        assert.equal(api.get("jobs", "lammps"), undefined);
        assert.deepEqual(said, [
            `lammps: is deleted although its ${ONE}`,
            "lammps: is deleted: its pending jobs are lost: later (f4z)",
        ]);
    });

    it("says in pulumi destroy if it can't be known what that ends", async () => {
        await operate(false);
        const id = putLive();
        api.fail(/jobs\/lammps/, 403, { times: 1, message: "jobs is forbidden" });
        await indexedJob.delete(id, outputsOf(inputsOf()));
        assert.equal(api.get("jobs", "lammps"), undefined);
        assert.match(said.join(), /^lammps: is deleted; it isn't known which Flux jobs that ends: jobs is forbidden/);
    });

    describe("if the lead doesn't tell its jobs", () => {
        it("refuses only in the update if its broker doesn't answer", async () => {
            const id = putLive();
            lead = 65;
            assert.deepEqual(await check(inputsOf(), changed()), []);
            assert.deepEqual(said, [
                `lammps: This change replaces the Job. It isn't known which Flux jobs that ends: ${NO_ANSWER}. ` +
                    "The update asks again, and refuses the change if it gets no answer.",
            ]);
            await assert.rejects(indexedJob.delete(id, outputsOf(inputsOf())), {
                message:
                    `Job hpc/lammps is not replaced, because its lead doesn't tell which Flux jobs run: ${NO_ANSWER}. ` +
                    'Try again, or set interrupt to "allow" to end what may run.',
            });
            assert.deepEqual(writes(), []);
            await check(inputsOf(), changed({ interrupt: Interrupt.Allow }));
            await indexedJob.delete(id, outputsOf(inputsOf()));
            assert.equal(api.get("jobs", "lammps"), undefined);
        });

        it("says so in the diff of a replacement with the lead Service", async () => {
            await operate(true, ({ message }) => said.push(message));
            const id = putLive();
            lead = 65;
            await indexedJob.diff(id, outputsOf(inputsOf()), inputsOf({}, { lead: UNKNOWN as any }));
            assert.match(
                said.join(),
                /is replaced together with its lead Service\. It isn't known which Flux jobs that ends: .+\. Its deletion asks again\. If/,
            );
        });

        it("refuses only in the update if the pods can't be listed", async () => {
            const id = putLive();
            api.fail(/pods\?/, 403, { times: 1, message: "pods is forbidden" });
            assert.deepEqual(await check(inputsOf(), inputsOf({ suspend: true })), []);
            assert.match(
                said.join(),
                /suspends the Job\. It isn't known which .*: pods is forbidden\. The update asks again/,
            );
            api.fail(/pods\?/, 403, { times: 1, message: "pods is forbidden" });
            await assert.rejects(
                indexedJob.update(id, outputsOf(inputsOf()), inputsOf({ suspend: true })),
                /the Job's lead doesn't tell which Flux jobs run: pods is forbidden\. Try again, or set interrupt/,
            );
            assert.deepEqual(writes(), []);
        });

        it("delays a preview by 5 s if it hangs", async () => {
            serve = () => api.serveCommands(() => undefined);
            putLive();
            assert.deepEqual(await check(inputsOf(), changed()), []);
            assert.match(
                said.join(),
                /known which Flux jobs that ends: a command in pod lammps-0-x has not ended within 5 s\./,
            );
        });
    });

    it("permits the change if the user may not run commands in pods, and says so", async () => {
        serve = () => api.fail(/exec/, 403, { times: 9 });
        const id = putLive();
        assert.deepEqual(await check(inputsOf(), changed()), []);
        assert.deepEqual(said, [
            "lammps: This change replaces the Job. It isn't known which Flux jobs that ends: a command can't be run in pod " +
                "lammps-0-x: HTTP status 403; the right to create pods/exec is needed (kubectl proxy also needs --disable-filter). " +
                "The update doesn't refuse it for that.",
        ]);
        await indexedJob.delete(id, outputsOf(inputsOf()));
        assert.equal(api.get("jobs", "lammps"), undefined);
    });

    for (const [what, flux] of [
        ["the lead's broker has not started", { started: false, state: { running: {} } }],
        ["the lead's container waits", { state: { waiting: { reason: "ImagePullBackOff" } } }],
    ] as const) {
        it(`permits the change if ${what}`, async () => {
            putLive(inputsOf(), flux);
            assert.deepEqual(await check(inputsOf(), changed()), []);
            assert.deepEqual(said, []);
        });
    }
});
