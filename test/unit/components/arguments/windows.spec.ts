import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import { checkArguments } from "../../../../components/arguments/shape";
import { problemsOfCluster } from "../../../../components/arguments/resolve";
import { problemsOfJob, FluxJob } from "../../../../components/fluxJob/fluxJob";
import { configFiles, configMap } from "../../../../components/pod/configMap";
import { answers } from "../../support/cluster";
import { mockPulumi, settled } from "../../support/pulumi";
import { makeSpec } from "../../support/spec";

const RETURN = "ends with a carriage return (\\r), as lines of a file of Windows do. Remove it: text.trimEnd().";
const MARK =
    'begins with a byte order mark, as in a file of an editor on Windows. Remove it: text.replace(/^\\ufeff/, "").';
const PATH = 'is a path of Windows; the pods run Linux. Write it with "/", or make it with path.posix.join.';

describe("a text from Windows", () => {
    const refused: [object, string, string][] = [
        [{ image: "flux:1\r" }, "image", RETURN],
        [{ environment: { DATA: "/data\r\n" } }, "environment.DATA", RETURN],
        [{ requires: "host:a\r" }, "requires", RETURN],
        [{ sidecars: [{ environment: { A: "x\r" } }] }, "sidecars[0].environment.A", RETURN],
        [{ command: ["cat", "file\r"] }, "command[1]", RETURN],
        [{ command: ["bash", "-c", "hostname\r\n"] }, "command[2]", RETURN],
        [{ command: ["bash", "-c", "set -e\r\nhostname\r"] }, "command[2]", RETURN],
        [{ command: ["\ufeffhostname"] }, "command[0]", MARK],
        [{ services: [{ command: ["sh", "-c", "a\r\n\r\n"] }] }, "services[0].command[2]", RETURN],
        [{ environment: { A: "\ufeffone\ntwo" } }, "environment.A", MARK],
        [{ environment: { A: "one\ntwo\r" } }, "environment.A", RETURN],
        [{ name: "\ufeffhpc" }, "name", MARK],
        [{ workingDir: "\\data\\in" }, "workingDir", PATH],
        [{ command: ["C:\\tools\\solve"] }, "command[0]", PATH],
        [{ outputFile: "C:/out.log" }, "outputFile", PATH],
        [{ volumes: [{ mountPath: "\\data" }] }, "volumes[0].mountPath", PATH],
        [{ volumes: [{ hostPath: "d:\\data" }] }, "volumes[0].hostPath", PATH],
        [{ view: { folders: ["\\opt\\software"] } }, "view.folders[0]", PATH],
    ];
    for (const [args, property, reason] of refused) {
        it(`is refused in ${JSON.stringify(args)}`, () => {
            assert.deepEqual(checkArguments(args), [{ property, reason }]);
        });
    }

    const accepted: object[] = [
        { environment: { TEXT: "one\r\ntwo", LINES: "one\r\ntwo\r\n", PATTERN: "\\d+", EMPTY: "" } },
        { command: ["printf", "\\r", "C:\\x"] },
        { command: ["bash", "-c", "set -e\nprintf 'a\rb'\n"] },
        { command: ["bash", "-c", "\ufeffset -e\r\nhostname\r\n"] },
        { services: [{ command: ["sh", "-c", "a\r\n\r\nb\r\n"] }] },
        { hooks: { init: "\ufeffexport A=1\r\n" }, broker: { extraConfig: "[queues.a]\r\n" } },
    ];
    for (const args of accepted) {
        it(`is accepted in ${JSON.stringify(args)}`, () => assert.deepEqual(checkArguments(args), []));
    }

    it("is refused in an Output, and in a secret without its value", async () => {
        const environment = { PLAIN: pulumi.output("a\r"), TOKEN: pulumi.secret("hush\r\n") };
        const expected = ["PLAIN", "TOKEN"].map((name) => ({ property: `environment.${name}`, reason: RETURN }));
        const found = await problemsOfCluster({ image: "flux", environment }, "hpc");
        assert.deepEqual(
            [...found].sort((a, b) => a.property.localeCompare(b.property)),
            expected,
        );
    });

    describe("of a FluxJob", () => {
        const cluster = { name: "hpc", namespace: "default" };

        it("is refused", async () => {
            const args = { cluster, command: ["bash", "-c", "a\r"], environment: { A: "x\r" } };
            assert.deepEqual(await problemsOfJob(args), [
                { property: "command[2]", reason: RETURN },
                { property: "environment.A", reason: RETURN },
            ]);
        });

        it("is mended in a script of its command, also in an Output", async () => {
            const script = "\ufeffset -e\r\nprintf 'a\rb'\r\n";
            const words = ["bash", "-c", script];
            for (const command of [words, pulumi.output(words), ["bash", "-c", pulumi.output(script)]]) {
                const registered = await mockPulumi(answers);
                new FluxJob("solve", { cluster, command });
                await settled();
                const submission = registered.find(({ name }) => name === "solve-submission");
                assert.deepEqual(submission?.inputs["command"], ["bash", "-c", "set -e\nprintf 'a\rb'\n"]);
            }
        });

        it("is refused in a secret, before the job is registered", async () => {
            const registered = await mockPulumi(answers);
            const secret = pulumi.secret("hush\r");
            const job = new FluxJob("solve", { cluster, command: ["a"], environment: { TOKEN: secret } });
            const phase = (job.phase as unknown as { promise: () => Promise<unknown> }).promise();
            await assert.rejects(phase, (error: Error) => {
                assert.match(error.message, /environment\.TOKEN: ends with a carriage return/);
                assert.doesNotMatch(error.message, /hush/);
                return true;
            });
            await settled();
            assert.equal(
                registered.some(({ name }) => name === "solve-submission"),
                false,
            );
        });
    });

    it("is mended in hooks, in broker.toml and in the server's requirements", () => {
        const windows = (text: string) => `\ufeff${text.replaceAll("\n", "\r\n")}`;
        const args = (make: (text: string) => string) => ({
            hooks: { init: make("if true\nthen\n  export A=1\nfi\n"), post: make("sync\n") },
            broker: { extraConfig: make('[queues.a]\nrequires = ["x"]\n[[resource.config]]\nhosts = "hpc-[0]"\n') },
            restful: { version: "1.2.0", requirements: make("flux-restful==1.2.0 --hash=sha256:00\n") },
        });
        const files = (make: (text: string) => string) => {
            const spec = makeSpec({ image: "flux", name: "hpc", ...args(make) });
            return configMap(spec, "hpc", configFiles(spec));
        };
        assert.deepEqual(files(windows), files(String));
        const texts = Object.values((files(windows) as { data: Record<string, string> }).data);
        assert.ok(texts.every((text) => !text.includes("\r") && !text.includes("\ufeff")));
        const toml = (make: (text: string) => string) => {
            const spec = makeSpec({ broker: { config: make("[tbon]\ntopo = 'kary:2'\n") } });
            return configFiles(spec);
        };
        assert.deepEqual(toml(windows), toml(String));
    });

    it("is mended in a script of a command, of a sidecar and of a service", () => {
        const spec = (script: string) => {
            const command = ["bash", "-c", script, "one\r\n", "a\rb"];
            const program = { name: "web", image: "a", command };
            return makeSpec({ command, sidecars: [program], services: [{ ...program, ports: [80] }] });
        };
        assert.deepEqual(spec("\ufeffif true\r\nthen\r\n  a\r\nfi\r\n"), spec("if true\nthen\n  a\nfi\n"));
        assert.deepEqual(spec("a\r\nb").command.slice(2), ["a\nb", "one\r\n", "a\rb"]);
    });

    it("in a hook leaves a carriage return that isn't a line end", () => {
        const spec = makeSpec({ hooks: { init: "printf 'a\rb'\n" } });
        assert.equal(spec.hooks.init, "printf 'a\rb'\n");
    });
});
