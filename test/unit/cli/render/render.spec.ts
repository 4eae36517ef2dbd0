import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";

import { root } from "../../../../scripts/local/paths";
import { objectsOf } from "../../../../cli/render/objects";
import { printedResources } from "../../../../cli/render/resources";
import { secretRecipe } from "../../../../cli/render/secretKeys";
import { UNKNOWN } from "../../../../provider/host/unknown";

const main = join(root, "dist", "cli", "main.js");
const ARGS = { name: "hello", image: "flux", size: 2, command: ["hostname"] };

function render(input: object | string, ...words: string[]) {
    const { status, stderr, stdout } = spawnSync(process.execPath, [main, "render", ...words], {
        encoding: "utf8",
        env: { ...process.env, npm_command: "" },
        input: typeof input === "string" ? input : JSON.stringify(input),
    });
    return { status, stderr, stdout, objects: parseAllDocuments(stdout).map((each) => each.toJSON()) };
}

const namesIn = (objects: any[]) =>
    objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);

describe("minicluster render", function () {
    this.timeout(120_000);

    it("prints the objects of arguments in one namespace, the Job last", () => {
        const { objects, status, stderr } = render(ARGS, "--namespace", "hpc");
        assert.deepEqual([status, stderr], [0, ""]);
        const [config] = namesIn(objects).filter((name) => name.startsWith("ConfigMap"));
        assert.match(config, /^ConfigMap hpc\/hello-config-[0-9a-f]{8}$/);
        assert.deepEqual(namesIn(objects).sort(), [
            config,
            "Job hpc/hello",
            "Service hpc/hello",
            "Service hpc/hello-lead",
        ]);
        assert.equal(objects.at(-1).kind, "Job");
        const { annotations } = objects.at(-1).metadata;
        assert.equal(annotations, undefined);
    });

    it("gives the cluster the name of --cluster, and the namespace default", () => {
        const { name: _, ...args } = ARGS;
        const { objects } = render(args, "-c", "other");
        assert.ok(namesIn(objects).includes("Job default/other"));
    });

    it("prints a List as JSON", () => {
        const { kind, items } = JSON.parse(render(ARGS, "--json").stdout);
        assert.deepEqual([kind, items.length], ["List", 4]);
    });

    it("says how to make each key of the Secret, and prints none of its values", () => {
        const environment = { SEEN: "plain" };
        const args = { name: "stay", image: "flux", size: 2, munge: true, restful: {}, environment };
        const { stdout } = render(args);
        const comments = stdout.split("\n").filter((line) => line.startsWith("#"));
        for (const key of ["curve.cert", "munge.key", "restful.token", "restful.shared-key", "restful.signing-key"]) {
            assert.ok(
                comments.some((line) => line.endsWith(` >${key}`)),
                key,
            );
            assert.ok(comments.at(-1)?.includes(` --from-file=${key}`), key);
        }
        assert.doesNotMatch(render({ ...ARGS, keygen: "initContainer" }).stdout, /^#/m);
    });

    it("makes the pod wait for kubectl before it prints the key", () => {
        const line =
            render(ARGS)
                .stdout.split("\n")
                .find((each) => each.includes("kubectl run")) ?? "";
        const [, feed, script] = /^# {3}(.*)kubectl run .* --stdin .* sh -c ('.*') >curve\.cert$/.exec(line) ?? [];
        assert.equal(feed, "echo | ");
        const attached = (input: string) =>
            spawnSync("sh", ["-c", `flux() { :; }; cat() { :; }; ${script.slice(1, -1)}`], { encoding: "utf8", input });
        assert.equal(attached("").status, 1);
        assert.equal(attached("\n").status, 0);
    });

    it("makes no object of Pulumi's own, and no Secret with content", () => {
        const { objects } = render({
            name: "stay",
            image: "flux",
            size: 2,
            keygen: "initContainer",
            elastic: {},
            cores: 1,
            maxSize: 3,
        });
        const secrets = objects.filter(({ kind }) => kind === "Secret");
        assert.deepEqual(
            secrets.map(({ data, stringData }) => [data, stringData]),
            [[undefined, undefined]],
        );
        assert.ok(objects.some(({ kind }) => kind === "Role"));
        assert.ok(!objects.some(({ kind }) => kind === "Pod"));
    });

    it("refuses a cluster with code, whose files only an update packs", () => {
        const { status, stderr, stdout } = render({ ...ARGS, code: { source: __dirname } });
        assert.deepEqual([status, stdout], [1, ""]);
        assert.match(stderr, /A cluster with code can't be rendered/);
    });

    it("refuses what is no cluster, with the cause", () => {
        const refused = [
            [{ ...ARGS, size: 0 }, 1, 'MiniCluster "hello" has 1 problem in its arguments:\n  size: is 0;'],
            [{ size: 2 }, 2, 'The cluster has no name. Give it as "name"'],
            ["a", 1, "The text has no arguments: it must be a mapping"],
            [{ steps: [] }, 1, "There is no MiniCluster in it."],
        ] as const;
        for (const [input, code, said] of refused) {
            const { status, stderr, stdout } = render(input);
            assert.deepEqual([status, stdout], [code, ""]);
            assert.ok(stderr.startsWith(`minicluster: ${said}`), stderr);
        }
    });

    describe("of what Pulumi has printed", () => {
        const parent = "urn:pulumi:dev::science::flux-minicluster:index:MiniCluster$";
        const labels = { "app.kubernetes.io/instance": "hello" };
        const service = {
            urn: `${parent}kubernetes:core/v1:Service::hello`,
            type: "kubernetes:core/v1:Service",
            inputs: {
                apiVersion: "v1",
                kind: "Service",
                metadata: { name: "hello", labels, annotations: { "pulumi.com/skipAwait": "true", mine: "1" } },
            },
        };
        const job = (manifest: unknown) => ({
            urn: `${parent}pulumi-nodejs:dynamic/flux-minicluster:IndexedJob::hello-job`,
            type: "pulumi-nodejs:dynamic/flux-minicluster:IndexedJob",
            inputs: {
                manifest,
                files: { kind: "ConfigMap", metadata: { name: "c", namespace: "hpc", labels } },
                secret: "[secret]",
            },
        });
        const manifest = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "hello", namespace: "hpc", labels } };
        const foreign = {
            urn: "urn:pulumi:dev::science::kubernetes:core/v1:Service::other",
            type: service.type,
            inputs: {},
        };

        it("takes the clusters of a preview and of a stack, and nothing else", () => {
            const resources = [foreign, job(manifest), service];
            for (const printed of [
                { deployment: { resources } },
                { steps: resources.map((newState) => ({ op: "create", newState })) },
            ]) {
                const objects = objectsOf(printedResources(printed) ?? []);
                assert.deepEqual(namesIn(objects), ["ConfigMap hpc/c", "Service hpc/hello", "Job hpc/hello"]);
                assert.deepEqual(objects[1].metadata.annotations, { mine: "1" });
            }
        });

        it("takes no resource that an update removes", () =>
            assert.deepEqual(printedResources({ steps: [{ op: "delete", newState: null }] }), []));

        it("takes a replaced cluster once, and no object that the next update deletes", () => {
            const image = (text: string) => job({ ...manifest, spec: { image: text } });
            const replaced = ["old", "new"].map((text) => ({ op: "replace", newState: image(text) }));
            for (const printed of [
                { steps: replaced },
                { deployment: { resources: [image("new"), { ...image("old"), delete: true }] } },
            ]) {
                const jobs = objectsOf(printedResources(printed) ?? []).filter(({ kind }) => kind === "Job");
                assert.deepEqual(
                    jobs.map(({ spec }) => spec.image),
                    ["new"],
                );
            }
        });

        it("refuses what isn't known", () =>
            assert.throws(
                () => objectsOf([job({ ...manifest, spec: { a: UNKNOWN } })]),
                /hello-job depends on a value/,
            ));

        const encrypted = {
            "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
            plaintext: '"hunter2"',
        };
        for (const secret of ["[secret]", encrypted]) {
            it(`refuses a secret, whole or in part: ${JSON.stringify(secret)}`, () => {
                for (const value of [secret, { ...manifest, spec: { env: [{ name: "A", value: secret }] } }]) {
                    assert.throws(() => objectsOf([job(value)]), /^Error: hello-job has a secret value/);
                }
            });
        }

        it("quotes what others have named in the lines for a shell, each of which is one line", () => {
            const image = "fl$(touch x)ux;\nkind: Evil";
            const volumes = [
                { secret: { secretName: "hello-secret", items: [{ key: "curve.cert" }, { key: "env.A b" }] } },
            ];
            const template = { spec: { containers: [{ name: "flux", image }], volumes } };
            const lines = secretRecipe({ ...manifest, spec: { template } });
            assert.equal(lines.length, 4);
            assert.ok(lines.every((line) => !line.includes("\n")));
            assert.match(lines[1], / --image='fl\$\(touch x\)ux; kind: Evil' /);
            assert.equal(lines[2], "  printf %s 'the value of A b' >'env.A b'");
        });
    });
});
