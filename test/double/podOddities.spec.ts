import assert from "node:assert/strict";

import { INDEX_LABEL } from "../../provider/contract/labels";
import { FLUX_CONTAINER } from "../../provider/contract/names";
import { meaningOf } from "../../provider/observe/causes/brokers";
import { causeOf, describeFailure } from "../../provider/jobStatus/failure";
import { summarize } from "../../provider/observe/pods/pod";
import { ODDITIES, type Oddity } from "./support/oddities";
import { makeOddities, readOddities } from "./support/oddityPage";
import { provideImage, withPods } from "./support/pods/cluster";
import { withLayer } from "./support/pods/layer";
import { InitFailure } from "./support/pods/pod";
import { fluxRoot } from "./support/root";
import { fluxMinor } from "./support/version";

/* docs/troubleshooting.md, "An image, a PATH, a user or a mount that is odd". */

/** The end of a container: its termination message, and the log of the Flux container. */
interface End {
    readonly container: string;
    readonly code: number;
    readonly message: string;
    readonly log: string;
}

before(provideImage);

/** Runs an ephemeral cluster of one rank in which something is odd. */
async function endOf({ args, disks, env, files = {}, texts }: Oddity): Promise<End> {
    const changes = typeof files === "function" ? files(await fluxRoot()) : files;
    return withLayer(changes, (layer) =>
        withPods(
            { size: 1, command: ["echo", "ran"], resources: { limits: { cpu: "1" } }, ...args },
            async (cluster) => {
                const started = await cluster.start(0).catch(initFailureIn);
                if (started instanceof InitFailure) {
                    const { container, end, said } = started;
                    return { container, code: end.code, message: said, log: "" };
                }
                const [pod] = started;
                const { code, message } = await pod.ended();
                return { container: FLUX_CONTAINER, code, message, log: pod.container.output };
            },
            { disks, env, layers: [layer], texts },
        ),
    );
}

function initFailureIn(error: unknown): InitFailure {
    if (error instanceof InitFailure) {
        return error;
    }
    throw error;
}

/** The failure of `pulumi up` after such an end, in one line. */
function failureOf({ code, container, log, message }: End): string {
    const terminated = { exitCode: code, reason: code === 0 ? "Completed" : "Error", message };
    const status = [{ name: container, restartCount: 0, state: { terminated } }];
    const statuses = container === FLUX_CONTAINER ? { containerStatuses: status } : { initContainerStatuses: status };
    const pod = summarize({
        metadata: { name: "mc-0", labels: { [INDEX_LABEL]: "0" } },
        status: { phase: "Failed", ...statuses },
    } as never);
    const isStart = pod.terminated?.marks.quorum === undefined;
    const failure = describeFailure(
        causeOf("BackoffLimitExceeded", [pod], []),
        { pod, text: log, isStart },
        { maxBytes: 1 << 16, secretOutput: false },
    );
    return failure.replaceAll(/\s+/g, " ").replaceAll("mc-0", "NAME-0");
}

/** The pattern of a text in which "..." stands for any text. */
function patternOf(reads: string): RegExp {
    const parts = reads.replaceAll(/\s+/g, " ").split("...");
    return new RegExp(`^${parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join(".*")}`);
}

describe("a pod in which something is odd", function () {
    this.timeout(60_000);

    for (const [head, rows] of Object.entries(ODDITIES)) {
        describe(head, () => {
            for (const row of rows) {
                it(row.reads === undefined ? `runs with ${row.odd}` : `tells of ${row.odd}`, async () => {
                    const end = await endOf(row);
                    if (row.reads === undefined || (await fluxMinor()) >= (row.before ?? Infinity)) {
                        assert.deepEqual([end.code, /^ran$/m.test(end.log)], [0, true], end.log);
                        return;
                    }
                    assert.match(failureOf(end), patternOf(row.reads));
                    assert.equal(end.code, row.code ?? end.code);
                });
            }
        });
    }

    it("tells in a follower's log that /etc/hosts is a volume, which doesn't have the lead's address", () =>
        withPods(
            {
                size: 2,
                volumes: [{ name: "names", mountPath: "/etc/hosts", subPath: "hosts", configMap: "names" }],
            },
            async (cluster) => {
                const [, follower] = await cluster.start(0, 1);
                await follower?.container.says(/so DNS has to find the lead/);
                assert.match(
                    meaningOf(follower?.container.output ?? "") ?? "",
                    /^The file \/etc\/hosts of the pod does not have the lead's address, .*\. Mount no volume at \/etc\/hosts; /,
                );
            },
            { texts: { names: { hosts: "127.0.0.1 localhost\n" } } },
        ));

    it("is described in docs/troubleshooting.md", () => assert.equal(readOddities(), makeOddities()));
});
