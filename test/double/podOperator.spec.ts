import assert from "node:assert/strict";

import type { PlainArgs } from "../../components/args";
import { readMiniCluster } from "../../convert/operator/resource";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";

/* Resources of the Flux Operator, converted and run. */

const SIZE = 2;

/** Runs an action with the pods of a resource, whose `spec` this completes. */
function withResource<T>(spec: string, action: (cluster: PodCluster) => Promise<T>): Promise<T> {
    const head = "apiVersion: flux-framework.org/v1alpha2\nkind: MiniCluster\nmetadata: {name: mc}\n";
    const { args, warnings } = readMiniCluster(
        `${head}spec:\n  size: ${SIZE}\n  flux: {container: {disable: yes}}\n${spec}`,
    );
    assert.deepEqual(
        warnings.filter((warning) => !warning.includes("signs that a shell may read")),
        [],
    );
    return withPods(args as unknown as PlainArgs, action);
}

/** The lines that the command of a cluster prints, sorted, without those of Flux and of hooks. */
async function printed(cluster: PodCluster): Promise<string[]> {
    const pods = await cluster.start(...Array.from({ length: SIZE }, (_, rank) => rank));
    const { code, message, stdout } = await pods[0].ended();
    assert.equal(code, 0, message);
    return stdout
        .split("\n")
        .filter((line) => line.startsWith("said "))
        .sort();
}

describe("resource of the Flux Operator", function () {
    this.timeout(120_000);
    before(provideImage);

    it("runs a script, whose variables with a backslash are those of each task", () =>
        withResource(
            `
  tasks: 2
  containers:
    - image: a:1
      commands:
        script: |
          #!/bin/bash
          echo "said \\\${FLUX_TASK_RANK} of \\\${FLUX_JOB_SIZE}"
`,
            async (cluster) => assert.deepEqual(await printed(cluster), ["said 0 of 2", "said 1 of 2"]),
        ));

    it("expands variables without a backslash once, when each pod starts", () =>
        withResource(
            `
  tasks: 2
  containers:
    - image: a:1
      environment: {GREETING: hello}
      commands:
        script: echo "said $GREETING $(echo $JOB_COMPLETION_INDEX), rank \\$FLUX_TASK_RANK\${FLUX_TASK_RANK}"
`,
            async (cluster) =>
                assert.deepEqual(await printed(cluster), ["said hello 0, rank 0", "said hello 1, rank 1"]),
        ));

    it("runs its command after hooks that fail", () =>
        withResource(
            `
  tasks: 2
  containers:
    - image: a:1
      command: echo said $WORD
      environment: {WORD: it}
      commands:
        init: "false"
        pre: |
          ulimit -l no-number
          ls /no/such/folder
        brokerPre: "false"
        workerPre: "false"
`,
            async (cluster) => assert.deepEqual(await printed(cluster), ["said it", "said it"]),
        ));

    it("runs the lines of a batch after one that fails, and then fails", () =>
        withResource(
            `
  containers:
    - image: a:1
      batch: true
      environment: {GREETING: hello}
      commands: {post: "sed 's/^/said /' /tmp/fluxout/job-*.out"}
      command: |
        --no-such-option a
        echo \\\`echo it\\\` $GREETING # no word
        bash -c 'echo {a,b} \\$FLUX_JOB_NNODES'
`,
            async (cluster) => {
                const pods = await cluster.start(0, 1);
                const { code, stderr, stdout } = await pods[0].ended();
                assert.equal(code, 1, stdout + stderr);
                const said = stdout.split("\n").filter((line) => line.startsWith("said "));
                assert.deepEqual(said, ["said it hello", "said a b 1"]);
            },
        ));

    it("stays without a RESTful server if it is interactive", () =>
        withResource(
            `
  interactive: yes
  containers: [{image: a:1}]
`,
            async (cluster) => {
                await cluster.up(SIZE);
                assert.equal(await cluster.flux("run", "-N2", "echo", "alive"), "alive\nalive");
                const servers = cluster
                    .rank(0)
                    .container.processes.filter(({ words }) => /restful|uvicorn/.test(words.join(" ")));
                assert.deepEqual(servers, []);
            },
        ));
});
