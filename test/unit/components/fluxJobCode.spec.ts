import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { FluxJob } from "../../../components/fluxJob/fluxJob";
import { decideJob, noticesOfJob } from "../../../components/fluxJob/spec";
import { useFolders } from "../support/folder";
import { mockPulumi, settled } from "../support/pulumi";

describe("FluxJob with code", () => {
    const folder = useFolders();
    const given = { cluster: { name: "lammps", namespace: "hpc", uid: "job-uid" }, command: ["hostname"] };
    const problems = (args: object) =>
        decideJob({ ...given, ...args }, []).problems.map(({ property, reason }) => `${property}: ${reason}`);

    it("passes on the files with their hashes, without their contents", async () => {
        const type = (name: string) => `pulumi-nodejs:dynamic/flux-minicluster:${name}`;
        const registered = await mockPulumi({
            [type("FluxTicket")]: ({ jobName }) => ({ jobName, nonce: "m0123456789abcdef", key: "hush" }),
            [type("FluxSubmission")]: () => ({ jobId: "f26Zqx", phase: "succeeded", exitCode: 0, output: "" }),
        });
        const source = folder({ "main.py": "print(1)", ".git/HEAD": "main" });
        new FluxJob("solve", { ...given, code: { source } });
        await settled();
        const { inputs } = registered.find(({ name }) => name === "solve-submission")!;
        const { bytes, count, files, leftOut, ...code } = inputs.code;
        assert.deepEqual([bytes, count, leftOut], [8, 1, [".git"]]);
        assert.match(files["main.py"], /^[0-9a-f]{8}$/);
        assert.deepEqual(code, { source, exclude: [], include: [], hash: code.hash });
    });

    it("may have a working directory beside it", () => {
        const code = { source: folder({ "main.py": "" }) };
        assert.deepEqual([problems({ code }), problems({ code, workingDir: "/data" })], [[], []]);
    });

    it("is refused by the rules of a cluster's code", () => {
        assert.deepEqual(problems({ code: { source: folder({ ".env": "" }), exclude: [""] } }), [
            'code.exclude[0]: is ""; it must be a name or a path in code.source, in which * and ? may stand for characters.',
            "code.source: has files that look like secrets, and all users who may run commands in the lead's pod could " +
                "read them: .env. Name them in code.exclude, or in code.include if they are no secrets.",
        ]);
    });

    it("has no path, which only a cluster's code has", () => {
        assert.match(problems({ code: { source: folder({ a: "" }), path: "/code" } }).join(), /^code\.path: /);
    });

    it("is refused beside Flux' own option for files", () => {
        const shellOptions = { "stage-in.names": "data", verbose: "1" };
        assert.deepEqual(problems({ code: { source: folder({ a: "" }) }, shellOptions }), [
            'shellOptions["stage-in.names"]: is given, but code needs this option of Flux itself. Remove it, or put its ' +
                "files into code.source.",
        ]);
        assert.deepEqual(problems({ shellOptions }), []);
    });

    it("is warned of if it is large, because it takes memory on each rank", () => {
        const source = folder();
        writeFileSync(join(source, "data.bin"), randomBytes(6_000_000));
        const { spec } = decideJob({ ...given, code: { source } }, []);
        assert.match(
            noticesOfJob(spec!).join(),
            /^code\.source has 5\.7 MiB packed\. Each rank keeps all files in memory while the job runs\. Name in/,
        );
    });
});
