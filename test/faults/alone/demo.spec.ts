import assert from "node:assert/strict";
import { join } from "node:path";

import { nodeBinDir, root } from "../../../scripts/local/paths";
import { run } from "../../../scripts/local/run";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

describe("demo on the user's cluster", function () {
    this.timeout(600_000);
    const theirs = new SecondCluster();
    const ours = new SecondCluster();
    let image: string;

    before(async () => {
        ({ image } = await startKubernetes(theirs, {}));
    });

    after(() => theirs.remove());
    after(() => ours.remove());

    it("lists the existing contexts if CONTEXT is empty", async () => {
        await assert.rejects(
            demo("demo", { CONTEXT: "" }),
            /CLUSTER=current needs CONTEXT=name. Contexts of your kubeconfig: flux-minicluster/,
        );
    });

    it("names the cluster first, runs there and leaves nothing", async () => {
        const output = await demo("demo", { CONTEXT: "flux-minicluster" });
        assert.match(output, /^make demo: .*\nUsing your cluster: context flux-minicluster, https:/);
        assert.match(output, /hello-0/);
        // The update watches pods, so it ends a little before the Job controller counts them.
        const isOver = async () => /hello\s+(Complete|SuccessCriteriaMet)/.test(await theirs.kubectl("get", "jobs"));
        await until("the Job is complete", async () => (await isOver()) || undefined);
        await demo("demo-down", { CONTEXT: "flux-minicluster" });
        const left = await theirs.kubectl("get", "jobs,secrets,configmaps,services", "-o", "name");
        assert.equal(left.trim(), "configmap/kube-root-ca.crt\nservice/kubernetes");
    });

    it("tells next steps that run as they stand", async () => {
        const environment = { CONTEXT: "flux-minicluster" };
        const [find = "", look = "", own = "", stay = "", remove = "", ...others] = nextSteps(
            await demo("demo", environment),
        );
        assert.deepEqual(others, []);
        const found = (step: string): Promise<string> => type(`${find} && ${step}`, environment);
        assert.match(await found(look), /default\/hello: succeeded/);
        assert.match(await type(own, environment), /(^ +\+ hello$\n){8}/m);
        const [, state = "", submit = "", shell = ""] = nextSteps(await type(stay, environment));
        assert.match(await found(state), /default\/flux: ready, 4 of 4 ranks are ready/);
        assert.match(await found(submit), /^flux-\d$/m);
        assert.match(await found(`echo flux resource list | ${shell}`), /free +4 /);
        await type(remove, environment);
        assert.equal((await theirs.kubectl("get", "jobs", "-o", "name")).trim(), "");
    });

    /** The commands below "Next:". */
    function nextSteps(output: string): string[] {
        const [, list = ""] = output.split("\nNext:\n");
        return [...list.matchAll(/^ {2}(.+?) +# /gm)].map(([, typed = ""]) => typed);
    }

    /** Types a line into a shell in the clone's folder. */
    function type(line: string, environment: NodeJS.ProcessEnv): Promise<string> {
        return run("bash", ["-o", "pipefail", "-c", `{ ${line}; } 2>&1`], {
            cwd: root,
            env: surroundings(environment),
        });
    }

    /** Runs `make demo` or `make demo-down` with a state folder that has no cluster and gets none. */
    function demo(command: "demo" | "demo-down", environment: NodeJS.ProcessEnv): Promise<string> {
        return run(
            "sh",
            ["-c", 'exec "$0" "$@" 2>&1', join(nodeBinDir, "tsx"), join(root, "scripts", "cli.ts"), command],
            {
                env: surroundings(environment),
            },
        );
    }

    function surroundings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
        return {
            ...process.env,
            // A shell of a user isn't a part of another make.
            MAKEFLAGS: "",
            MAKELEVEL: "",
            ...environment,
            CLUSTER: "current",
            FLUX_IMAGE: image,
            FLUX_MINICLUSTER_STATE: ours.state,
            KUBECONFIG: join(theirs.state, "kubeconfig"),
        };
    }
});
