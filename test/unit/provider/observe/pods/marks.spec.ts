import assert from "node:assert/strict";

import { readMessage } from "../../../../../provider/observe/pods/marks";

const REPORTS = "minicluster.quorum=1.5\nminicluster.started=2\n";
const END = "minicluster.ended=3\n";
const MARKS = { quorum: "1.5", started: "2", ended: "3" };

describe("readMessage", () => {
    const read = (message: string, reason = "Error") => {
        const { marks, words } = readMessage({ exitCode: 3, message, reason });
        return words === undefined ? { marks } : { marks, words };
    };

    const programs: [string, string, string][] = [
        ["adds a line", `${REPORTS}epoch 10 of 10\n${END}`, "epoch 10 of 10"],
        ["adds words without a line feed", `${REPORTS}epoch 10 of 10${END}`, "epoch 10 of 10"],
        ["replaces the reports, which are repeated", `ValueError: NaN\n${END}\n${REPORTS}${END}`, "ValueError: NaN"],
        ["writes keys of ours without our name", `${REPORTS}error=none\nended=7\n${END}`, "error=none\nended=7"],
        ["writes a key of its own", `${REPORTS}loss=0.3\n${END}`, "loss=0.3"],
    ];
    for (const [what, message, words] of programs) {
        it(`keeps the reports if a program ${what}`, () => {
            assert.deepEqual(read(message), { marks: MARKS, words });
        });
    }

    for (const line of ["error=0.25", "ended=7", "started=now"]) {
        it(`takes nothing from a program that writes only "${line}", as a program on a follower may`, () => {
            assert.deepEqual(read(`${line}\n`), { marks: {}, words: line });
        });
    }

    it("takes nothing from a program's words alone", () => {
        assert.deepEqual(read("ValueError: NaN\n"), { marks: {}, words: "ValueError: NaN" });
        assert.deepEqual(read("loss=0.3\n", "Completed"), { marks: {}, words: "loss=0.3" });
    });

    it("reads Kubernetes' own message of a container that it couldn't start", () => {
        const message = "failed to create containerd task: no such file\n";
        assert.deepEqual(read(message, "StartError"), { marks: { error: message.trim() } });
    });

    it("takes no error from a node that has lost the container", () => {
        const message = "The container could not be located when the pod was terminated";
        assert.deepEqual(read(message, "ContainerStatusUnknown"), { marks: {} });
    });

    it("reads the reports of a lead without memory", () => {
        assert.deepEqual(read(REPORTS, "OOMKilled"), { marks: { quorum: "1.5", started: "2" } });
    });
});
