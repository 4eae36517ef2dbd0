import assert from "node:assert/strict";
import { mock } from "node:test";

import { followLog } from "../../../../cli/logs/followLog";
import { connect } from "../../../../provider/kubernetes/client";
import { sentence } from "../../../../provider/kubernetes/failures/failure";
import { useApi } from "../../support/fakeApi";
import { FakeLog } from "../../support/fakeLog";
import { soon } from "../../../e2e/support/until";

const time = (second: number, fraction = "5") => `2026-01-01T00:00:${String(second).padStart(2, "0")}.${fraction}Z`;

describe("followLog", () => {
    const api = useApi();
    let log: FakeLog;
    let text: string;

    beforeEach(() => {
        log = new FakeLog();
        api.serveLog = log.serve;
        text = "";
        run();
    });

    afterEach(() => {
        mock.timers.reset();
    });

    /** Sets the state of the container. */
    function run(status: object = { state: { running: {} } }, id = "one"): void {
        api.put("pods", {
            metadata: { name: "lammps-0-x" },
            status: { containerStatuses: [{ name: "flux", containerID: id, ...status }] },
        });
    }

    function end(): void {
        run({ state: { terminated: { exitCode: 0 } } });
        log.end();
    }

    function follow(limits = {}): Promise<void> {
        const container = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };
        const show = async (bytes: Buffer) => void (text += bytes);
        const all = { quiet: 9, patience: 9000, pause: 1, ...limits };
        return followLog(connect({ kubeconfig: api.kubeconfig }), container, show, all);
    }

    const shows = (wanted: string): Promise<boolean> =>
        soon(
            () => `shown: ${text}`,
            () => text === wanted,
        );

    it("ends with the container, and shows all its lines", async () => {
        log.add(time(1), "a\n");
        const followed = follow();
        await shows("a\n");
        log.add(time(2), "b\n");
        log.add(time(2), "without an end");
        end();
        await followed;
        assert.equal(text, "a\nb\nwithout an end");
    });

    it("continues after each lost connection, without losing or repeating a line", async () => {
        const followed = follow();
        let wanted = "";
        for (let line = 0; line < 30; line++) {
            // Three lines have the same time, and some of a second come after the loss.
            log.add(time(Math.floor(line / 3)), `${line}\n`);
            wanted += `${line}\n`;
            await shows(wanted);
            if (line % 2 === 1 && line < 29) {
                log.cut(`${time(Math.floor((line + 1) / 3))} ${line + 1}`);
                wanted += `${line + 1}`;
                await shows(wanted);
                wanted = wanted.slice(0, -`${line + 1}`.length);
            }
        }
        end();
        await followed;
        assert.equal(text, wanted);
        assert.ok(log.requests.length >= 16, `${log.requests.length} requests`);
    });

    it("requests the log again after a long silence, and goes on", async () => {
        log.add(time(1), "a\n");
        const followed = follow({ quiet: 0.05, patience: 0 });
        await api.seen(/log/, 4);
        log.add(time(2), "b\n");
        await shows("a\nb\n");
        end();
        await followed;
        assert.equal(text, "a\nb\n");
        assert.equal(log.requests.at(-1)?.get("sinceTime"), "2026-01-01T00:00:01Z");
    });

    it("goes on if the API server ends the connection of a running container", async () => {
        const followed = follow();
        await api.seen(/log/);
        log.add(time(1), "a\n");
        log.end();
        await api.seen(/log/, 3);
        end();
        await followed;
        assert.equal(text, "a\n");
    });

    it("reads the rest of a container that has restarted while the connection was lost", async () => {
        log.add(time(1), "a\n");
        const followed = follow();
        await shows("a\n");
        run({ state: { running: {} }, lastState: { terminated: { containerID: "one" } } }, "two");
        log.add(time(2), "b\n");
        log.end();
        await followed;
        assert.equal(text, "a\nb\n");
        assert.equal(log.requests.at(-1)?.get("previous"), "true");
    });

    it("ends if the pod is deleted", async () => {
        log.add(time(1), "a\n");
        const followed = follow();
        await shows("a\n");
        api.remove("pods", "lammps-0-x");
        log.cut();
        await followed;
    });

    it("fails with the API server's words if the log can't be read", async () => {
        const message = 'container "flux" in pod "lammps-0-x" is waiting to start: ContainerCreating';
        api.fail(/log/, 400, { message });
        await assert.rejects(follow(), (error) => sentence(error) === message);
    });

    it("fails after its patience with a kubelet that doesn't answer", async () => {
        api.fail(/log/, 502, { times: 999, message: "the kubelet does not answer" });
        await assert.rejects(follow({ patience: 50 }), (error) => sentence(error) === "the kubelet does not answer");
        assert.ok(api.requests.filter((request) => request.includes("/log")).length > 1);
    });

    it("counts each request to an API server that is away", async () => {
        api.fail(/pods/, 503, { times: 999, message: "the API server restarts" });
        await assert.rejects(follow({ patience: 0 }), (error) => sentence(error) === "the API server restarts");
        assert.equal(api.requests.length, 1);
    });

    it("counts its patience from the loss of the connection on", async () => {
        mock.timers.enable({ apis: ["Date"] });
        const followed = follow({ patience: 120_000 });
        log.add(time(1), "a\n");
        await shows("a\n");
        mock.timers.tick(600_000);
        log.cut();
        await api.seen(/log/, 2);
        end();
        await followed;
    });
});
