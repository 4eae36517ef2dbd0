import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import type { PlainArgs } from "../../../../../components/args";
import { validate } from "../../../../../components/arguments/decide";
import { brokerConfig } from "../../../../../components/features/broker/config";
import { configFiles } from "../../../../../components/pod/configMap";
import { environment } from "../../../../../components/pod/environment";
import { job } from "../../../../../components/pod/job";
import { BASH, Sandbox } from "../../../support/sandbox";
import { scriptFile } from "../../../support/scriptFile";
import { makeSpec } from "../../../support/spec";

const limits = (amounts: Record<string, string>): Partial<PlainArgs> => ({ resources: { limits: amounts } });
const problemsOf = (args: Partial<PlainArgs>) =>
    validate(makeSpec(args)).map(({ property, reason }) => `${property}: ${reason}`);
const parametersOf = (args: Partial<PlainArgs>): Record<string, string> =>
    Object.fromEntries(environment(makeSpec(args)).map(({ name, value }) => [name, value]));

describe("the GPUs of a rank", () => {
    for (const name of [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.5gb",
        "nvidia.com/mig-3g.20gb.shared",
        "amd.com/gpu",
        "amd.com/cpx_nps4",
        "gpu.intel.com/i915",
        "gpu.intel.com/xe",
        "aws.amazon.com/neuron",
        "aws.amazon.com/neuroncore",
        "aws.amazon.com/neurondevice",
        "habana.ai/gaudi",
        "example.com/gpu",
    ]) {
        it(`are the ${name} of the limits`, () => {
            assert.equal(makeSpec(limits({ [name]: "4", memory: "1Gi" })).rank.gpus, 4);
        });
    }

    for (const name of [
        "vpc.amazonaws.com/efa",
        "gpu.intel.com/millicores",
        "gpu.intel.com/memory.max",
        "gpu.intel.com/i915_monitoring",
        "nvidia.com/hostdev",
        "hugepages-2Mi",
    ]) {
        it(`are not the ${name} of the limits`, () => {
            assert.equal(makeSpec(limits({ [name]: "4" })).rank.gpus, 0);
        });
    }

    it("are those of gpuResources too", () => {
        const args = {
            ...limits({ "example.com/npu": "2", "nvidia.com/gpu": "1" }),
            gpuResources: ["example.com/npu"],
        };
        assert.equal(makeSpec(args).rank.gpus, 3);
        assert.deepEqual(problemsOf(args), []);
    });

    it("are as many as gpus says, for a claim that the limits don't show", () => {
        const claim = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "two-gpus" }] };
        const containers = [{ name: "flux", resources: { claims: [{ name: "gpu" }] } }];
        const spec = makeSpec({ ...limits({ cpu: "4" }), gpus: 2, podTemplate: { spec: { ...claim, containers } } });
        assert.match(brokerConfig(spec), /\ncores = "0-3"\ngpus = "0-1"\n$/);
        const pod = job(spec, "work", {}).spec.template.spec;
        assert.deepEqual(pod.resourceClaims, claim.resourceClaims);
        assert.deepEqual(pod.containers[0].resources, { limits: { cpu: "4" }, claims: [{ name: "gpu" }] });
    });

    it("are added to the cores that the lead detects if there is no CPU limit", () => {
        const { MINICLUSTER_DETECT_GPUS: gpus, MINICLUSTER_DETECT_HOSTS: hosts } = parametersOf(
            limits({ "nvidia.com/gpu": "2" }),
        );
        assert.deepEqual([gpus, hosts], ["0-1", "lammps-[0-3]"]);
    });

    it("are not described if broker.toml is the user's", () => {
        const args = { ...limits({ "nvidia.com/gpu": "2" }), broker: { config: "" } };
        const { MINICLUSTER_DETECT_GPUS: gpus, MINICLUSTER_GPUS: toShare } = parametersOf(args);
        assert.deepEqual([gpus, toShare], [undefined, "0"]);
    });

    const refused: [string, Partial<PlainArgs>, string][] = [
        [
            "a resource that the limits don't have",
            { gpuResources: ["example.com/npu"] },
            'gpuResources[0]: is "example.com/npu", but resources.limits has no such resource. Add it there, or remove it here.',
        ],
        [
            "a resource without a domain",
            { ...limits({ cpu: "1" }), gpuResources: ["cpu"] },
            'gpuResources[0]: is "cpu", which is not an extended resource. Write it like "example.com/npu".',
        ],
        ["a negative number", { gpus: -1 }, "gpus: gives -1 GPUs; a rank has 0 to 65536. Change it."],
        [
            "more than a machine can have",
            limits({ "nvidia.com/gpu": "1e9" }),
            "resources.limits: gives 1000000000 GPUs; a rank has 0 to 65536. Change it.",
        ],
        [
            "tasks that need more GPUs than the limits give, without a CPU limit",
            { gpusPerTask: 2, ...limits({ "nvidia.com/gpu": "1" }) },
            "gpusPerTask: is 2; 4 ranks need 2 GPUs each for 4 tasks, but resources.limits gives 1. Lower it, or raise the limit.",
        ],
        [
            "tasks that need more GPUs than gpus says",
            { gpusPerTask: 2, gpus: 1 },
            "gpusPerTask: is 2; 4 ranks need 2 GPUs each for 4 tasks, but gpus gives 1. Lower it, or raise gpus.",
        ],
    ];
    for (const [what, args, problem] of refused) {
        it(`may not be ${what}`, () => {
            assert.deepEqual(problemsOf(args), [problem]);
        });
    }
});

describe("lead.sh with GPUs", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const OLD = { VERSION_STUB: "echo libflux-core: 0.83.0" };
    const SIMPLE = '[[ $1 != module ]] || echo "sched-simple  2  S  sched"';
    const FLUXION = '[[ $1 != module ]] || echo "sched-fluxion-qmanager  2  S  sched"';

    async function optionsOf(args: Partial<PlainArgs>, variables: Record<string, string> = {}) {
        pod = new Sandbox({ ...limits({ "nvidia.com/gpu": "4" }), ...args });
        const { stderr } = await pod.run("lead", ["train"], variables);
        const run = pod.calls.find(([, name]) => name === "run") ?? [];
        const options = run.slice(2, run.indexOf("--")).join(" ");
        return { gpus: / -g (\d+)/.exec(options)?.[1], hides: !options.includes("-o gpu-affinity=off"), stderr };
    }

    it("gives each task its share of the rank's GPUs", async () => {
        assert.deepEqual(await optionsOf({}), { gpus: "4", hides: true, stderr: "" });
        pod.remove();
        assert.equal((await optionsOf({ tasks: 8 })).gpus, "2");
        pod.remove();
        assert.equal((await optionsOf({ tasks: 6 })).gpus, "2");
        pod.remove();
        assert.equal((await optionsOf({ tasks: 12 })).gpus, "1");
    });

    it("gives each task the given number of GPUs, 0 too", async () => {
        assert.deepEqual(await optionsOf({ gpusPerTask: 0 }), { gpus: "0", hides: true, stderr: "" });
        pod.remove();
        assert.deepEqual(await optionsOf({ gpusPerTask: 3 }), { gpus: "3", hides: true, stderr: "" });
    });

    it("shows all GPUs to tasks that are more than the GPUs, and says so", async () => {
        assert.deepEqual(await optionsOf({ tasks: 20 }), {
            gpus: undefined,
            hides: false,
            stderr: "minicluster: all tasks of a rank share its GPUs: it has fewer GPUs than tasks; see gpusPerTask\n",
        });
    });

    it("shows all GPUs to all tasks if the scheduler of an older Flux doesn't know GPUs", async () => {
        assert.deepEqual(await optionsOf({ tasks: 8 }, { ...OLD, FLUX_STUB: SIMPLE }), {
            gpus: undefined,
            hides: false,
            stderr: "minicluster: all tasks of a rank share its GPUs: this scheduler doesn't know GPUs; see gpusPerTask\n",
        });
        pod.remove();
        // A task that is alone on its rank shares with nobody.
        assert.deepEqual(await optionsOf({}, { ...OLD, FLUX_STUB: SIMPLE }), {
            gpus: undefined,
            hides: false,
            stderr: "",
        });
    });

    it("asks Fluxion for GPUs in an older Flux too", async () => {
        assert.equal((await optionsOf({}, { ...OLD, FLUX_STUB: FLUXION })).gpus, "4");
    });

    it("shows all GPUs if broker.toml is the user's, which may not have them", async () => {
        assert.deepEqual(await optionsOf({ broker: { config: "" } }), { gpus: undefined, hides: false, stderr: "" });
    });
});

describe("task.sh with GPUs", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const SHOW = ["sh", "-c", 'for name; do eval "printf %s= $name; echo \\"\\${$name-unset}\\""; done', "sh"];

    async function variablesOf(args: Partial<PlainArgs>, names: string[], variables: Record<string, string>) {
        pod = new Sandbox(args);
        pod.write(
            "bin/nvidia-smi",
            `#!/bin/sh
echo "GPU 0: NVIDIA A100 (UUID: GPU-1)"
echo "  MIG 3g.20gb     Device  0: (UUID: MIG-a)"
echo "  MIG 3g.20gb     Device  1: (UUID: MIG-b)"
`,
            0o755,
        );
        const words = [...SHOW, ...names];
        const { stdout } = await pod.run("task", words, { FLUX_TASK_LOCAL_ID: "0", ...variables });
        return Object.fromEntries(
            stdout
                .trimEnd()
                .split("\n")
                .map((line) => line.split(/=(.*)/).slice(0, 2)),
        );
    }

    const cases: [string, Partial<PlainArgs>, Record<string, string>, Record<string, string>][] = [
        [
            "leaves the variable of NVIDIA as it is",
            limits({ "nvidia.com/gpu": "4" }),
            { CUDA_VISIBLE_DEVICES: "2,3" },
            { CUDA_VISIBLE_DEVICES: "2,3" },
        ],
        [
            "gives a task of AMD the variable of ROCm alone",
            limits({ "amd.com/gpu": "4" }),
            { CUDA_VISIBLE_DEVICES: "2,3" },
            { ROCR_VISIBLE_DEVICES: "2,3", CUDA_VISIBLE_DEVICES: "unset" },
        ],
        [
            "hides the GPUs of AMD from a task without GPUs",
            limits({ "amd.com/gpu": "4" }),
            { CUDA_VISIBLE_DEVICES: "-1" },
            { ROCR_VISIBLE_DEVICES: "-1", CUDA_VISIBLE_DEVICES: "-1" },
        ],
        [
            "leaves all GPUs of AMD to tasks that share them",
            limits({ "amd.com/gpu": "4" }),
            {},
            { ROCR_VISIBLE_DEVICES: "unset", CUDA_VISIBLE_DEVICES: "unset" },
        ],
        [
            "gives a task of Intel the variable of Level Zero",
            limits({ "gpu.intel.com/xe": "4" }),
            { CUDA_VISIBLE_DEVICES: "1" },
            { ZE_AFFINITY_MASK: "1" },
        ],
        [
            "gives a task of Neuron its cores",
            limits({ "aws.amazon.com/neuroncore": "4" }),
            { CUDA_VISIBLE_DEVICES: "0,3" },
            { NEURON_RT_VISIBLE_CORES: "0,3" },
        ],
        [
            "gives a task of Neuron its cores among those of the pod",
            limits({ "aws.amazon.com/neuroncore": "4" }),
            { CUDA_VISIBLE_DEVICES: "0,3", NEURON_RT_VISIBLE_CORES: "4-6,9" },
            { NEURON_RT_VISIBLE_CORES: "4,9" },
        ],
        [
            "gives a task of whole Neuron devices its cores if gpus counts the cores",
            { ...limits({ "aws.amazon.com/neuron": "1" }), gpus: 2 },
            { CUDA_VISIBLE_DEVICES: "1" },
            { NEURON_RT_VISIBLE_CORES: "1" },
        ],
        [
            "leaves Neuron devices alone if their cores aren't counted",
            limits({ "aws.amazon.com/neuron": "2" }),
            { CUDA_VISIBLE_DEVICES: "1" },
            { NEURON_RT_VISIBLE_CORES: "unset" },
        ],
        [
            "names the instances of MIG",
            limits({ "nvidia.com/mig-3g.20gb": "2" }),
            { CUDA_VISIBLE_DEVICES: "0,1" },
            { CUDA_VISIBLE_DEVICES: "MIG-a,MIG-b" },
        ],
        [
            "lets the second task of a node begin with another instance of MIG",
            limits({ "nvidia.com/mig-3g.20gb": "2" }),
            { CUDA_VISIBLE_DEVICES: "0,1", FLUX_TASK_LOCAL_ID: "1" },
            { CUDA_VISIBLE_DEVICES: "MIG-b,MIG-a" },
        ],
        [
            "keeps the numbers if an instance of MIG isn't found",
            limits({ "nvidia.com/mig-3g.20gb": "4" }),
            { CUDA_VISIBLE_DEVICES: "2" },
            { CUDA_VISIBLE_DEVICES: "2" },
        ],
    ];
    for (const [sentence, args, given, expected] of cases) {
        it(sentence, async () => {
            assert.deepEqual(await variablesOf(args, Object.keys(expected), given), expected);
        });
    }

    it("has a script for a vendor only in clusters with its devices", () => {
        const files = Object.keys(configFiles(makeSpec(limits({ "nvidia.com/gpu": "1" }))));
        assert.deepEqual(
            files.filter((file) => file.includes("gpus")),
            ["share-gpus.sh"],
        );
        pod = new Sandbox();
    });

    it("reads the scripts in bash without an error", () => {
        pod = new Sandbox();
        for (const vendor of ["amd", "intel", "mig", "neuron"]) {
            assert.equal(spawnSync(BASH, ["-n", scriptFile(`gpus-${vendor}.sh`)]).status, 0);
        }
    });
});
