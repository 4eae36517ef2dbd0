import assert from "node:assert/strict";

import { fromOperator } from "../../../../convert";
import { assertPreview } from "./support";

const resource = (spec: string) => `apiVersion: flux-framework.org/v1alpha2
kind: MiniCluster
metadata:
  name: sample
spec:
  size: 2
  flux:
    container:
      disable: true
${spec}`;

const plain = (yaml: string) => {
    const { args, warnings } = fromOperator(yaml);
    assertPreview(args);
    return { args: JSON.parse(JSON.stringify(args)) as Record<string, any>, warnings };
};

/** Resources as people write them, which were converted wrongly before. */
describe("a reported resource of the operator", () => {
    it("with a script whose variables have backslashes runs with these variables", () => {
        const { args, warnings } = plain(
            resource(`  tasks: 2
  containers:
    - image: a:1
      commands:
        script: |
          #!/bin/bash
          echo "This is rank \\\${FLUX_TASK_RANK} of \\\${FLUX_JOB_SIZE}"
          if [[ "\\\${FLUX_TASK_RANK}" == "0" ]]; then echo LEADER; else echo WORKER; fi
`),
        );
        const script = `#!/bin/bash
echo "This is rank \${FLUX_TASK_RANK} of \${FLUX_JOB_SIZE}"
if [[ "\${FLUX_TASK_RANK}" == "0" ]]; then echo LEADER; else echo WORKER; fi
`;
        assert.deepEqual([args["command"], args["tasks"], warnings], [["bash", "-c", script], 2, []]);
    });

    it("that is interactive is a persistent cluster without a RESTful server", () => {
        const { args, warnings } = plain(
            resource(`  interactive: true
  containers:
    - image: a:1
      volumes:
        shared-memory:
          emptyDir: true
          emptyDirMedium: memory
`),
        );
        assert.deepEqual([args, warnings], [{ image: "a:1", size: 2, restful: { enabled: false } }, []]);
    });

    it("with a hook that may fail has a hook that may fail", () => {
        const { args, warnings } = plain(
            resource(`  tasks: 2
  containers:
    - image: a:1
      command: hostname
      commands:
        pre: |
          ulimit -l unlimited
          ls /opt/spack-environment
`),
        );
        const pre = "set +e\nulimit -l unlimited\nls /opt/spack-environment\n";
        assert.deepEqual([args["hooks"], warnings], [{ pre }, []]);
    });

    it("with the booleans of YAML 1.1 has the meaning that kubectl reads", () => {
        const { args, warnings } = plain(
            `${resource("").replace("disable: true", "disable: yes")}  tasks: 2
  interactive: no
  logging:
    quiet: off
  containers:
    - image: a:1
      launcher: no
      command: hostname
`,
        );
        assert.deepEqual([args, warnings], [{ image: "a:1", size: 2, command: ["hostname"], tasks: 2 }, []]);
    });

    it("with more tasks than the limit has cores gets as many cores", () => {
        const { args, warnings } = plain(
            resource(`  tasks: 4
  containers:
    - image: a:1
      command: hostname
      resources:
        limits:
          cpu: 1
          memory: 512Mi
        requests:
          cpu: 200m
          memory: 256Mi
`),
        );
        assert.deepEqual([args["tasks"], args["cores"]], [4, 2]);
        assert.deepEqual(warnings, [
            "spec.tasks (line 10): is 4; a rank needs 2 cores for it, more than resources.limits.cpu gives. Flux has only these cores in a rank; " +
                "with the operator, it has all cores of the node. So cores is now 2, and the tasks share the CPUs; or raise the amount.",
        ]);
    });
});
