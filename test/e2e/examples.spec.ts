import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { KubernetesObjectApi } from "@kubernetes/client-node";

import { root } from "../../scripts/local/paths";
import { makeClaim } from "./support/claim";
import { importPublicImage } from "./support/image";
import { useNamespace } from "./support/namespace";
import { grant } from "./support/rights";
import { operations } from "./support/stack";
import { sharedCluster } from "./support/sharedCluster";

const example = (name: string) => ({ dir: join(root, "examples", name) });

describe("example", () => {
    const namespace = useNamespace();
    let image: string;
    before(async () => (image = await importPublicImage((await sharedCluster()).cluster)));

    it("quickstart prints the names of four pods and leaves nothing", async () => {
        const [printed] = await namespace.page("quickstart", image).run();
        assert.deepEqual(printed?.match(/^hello-\d$/gm)?.sort(), ["hello-0", "hello-1", "hello-2", "hello-3"], printed);
        await namespace.assertNothingLeft();
    });

    it("code runs a folder, names the edited file in the preview, and runs it again", async () => {
        const page = namespace.page("code", image);
        const [first, fetched, second] = await page.run();
        assert.equal(fetched?.trim(), "code-0: 669 primes from 0 to 5000");
        const text = page.text.match(/^code-0: .*\ncode-1: .*$/m)?.[0];
        assert.equal(
            first
                .match(/^code-\d: .*$/gm)
                ?.sort()
                .join("\n"),
            text,
            first,
        );
        for (const line of page.text.match(/^code: code: .*$/gm) ?? []) {
            assert.ok(second.includes(line), second);
        }
        assert.match(second, /^code-1: \d+ primes from 10000 to 20000$/m);
        await namespace.assertNothingLeft();
    });

    it("sweep makes the picture of its page, and leaves nothing", async () => {
        const page = namespace.page("sweep", image);
        const [name, picture] = ["bifurcation.svg", join(page.folder, "bifurcation.svg")];
        rmSync(picture);
        const [printed] = await page.run();
        assert.match(printed ?? "", /^30$/m);
        assert.equal(
            readFileSync(picture, "utf8").trim(),
            readFileSync(join(root, "examples/sweep", name), "utf8").trim(),
        );
        await namespace.assertNothingLeft();
    });

    it("all-ranks runs two tasks on each rank", async () => {
        const [printed] = await namespace.page("all-ranks", image).run();
        const lines = printed?.match(/^task \d of 8 on ranks-\d$/gm)?.sort();
        const expected = [0, 1, 2, 3, 4, 5, 6, 7].map((task) => `task ${task} of 8 on ranks-${Math.floor(task / 2)}`);
        assert.deepEqual(lines, expected, printed);
    });

    it("persistent reaches the phase ready and runs jobs", async () => {
        const stack = namespace.stack("persistent", example("persistent"), { image });
        const { outputs } = await stack.up();
        assert.equal(outputs.phase, "ready");
        assert.match(await namespace.exec("flux", ["flux", "run", "-N2", "hostname"]), /flux-1/);
    });

    it("workflow runs its jobs in order, and another stack runs a job on its cluster", async () => {
        const stack = namespace.stack("workflow", example("workflow"), { image });
        assert.equal((await stack.up()).outputs.result, "55\n");

        const clusterStack = "organization/e2e/workflow";
        const more = namespace.stack("more", example("another-stack"), { clusterStack }, stack.backend);
        const { outputs } = await more.up();
        assert.deepEqual(outputs.output.trim().split("\n").sort(), ["workflow-0", "workflow-1"]);
        await more.destroy();
    });

    it("workflow-tool runs each step as a Flux job on a volume that the ranks share", async () => {
        await grant(namespace, "configmaps", "patch");
        const removeClaim = await makeClaim(namespace, "work");
        const stack = namespace.stack("workflow-tool", example("workflow-tool"), {
            image,
            claim: "work",
        });
        const { outputs } = await stack.up();
        assert.equal(outputs.output, "5050\n");
        await stack.destroy();
        await removeClaim();
    });

    it("data writes to a claim on all ranks, and its results are copied out after its end", async () => {
        const removeClaim = await makeClaim(namespace, "data");
        const page = namespace.page("data", image);
        const [printed, copied] = await page.run();
        const lines =
            printed
                .match(/^task \d on .*$/gm)
                ?.sort()
                .join("\n") ?? printed;
        assert.ok(page.text.includes(`\n${lines}\n`), lines);
        assert.match(copied, /^2 files, [^\n]*: results$[^]*^ *1001 total$/m);
        const pods = await namespace.kube.core.listNamespacedPod({ namespace: namespace.name });
        assert.deepEqual(
            pods.items.map(({ metadata }) => metadata?.name ?? "").filter((name) => name.includes("-copy-")),
            [],
        );
        await removeClaim();
    });

    it("eks-efa-gpu passes a preview, and the API server accepts its Job", async () => {
        const stack = namespace.stack("eks", example("eks-efa-gpu"), { namespace: namespace.name });
        const { events } = await stack.preview();
        assert.equal(operations(events)["train-job"], "create");
        const job = events.find(({ resourcePreEvent }) => resourcePreEvent?.metadata.urn.endsWith("::train-job"));
        const manifest = job?.resourcePreEvent?.metadata.new?.inputs.manifest;
        const api = KubernetesObjectApi.makeApiClient(namespace.kube.config);
        await api.create(manifest, undefined, "All");
    });
});
