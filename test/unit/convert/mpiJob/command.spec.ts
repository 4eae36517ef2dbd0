import assert from "node:assert/strict";

import { assertPreview } from "../operator/support";
import { convert } from "./support";

const PATH = "launcher.containers[0].command";

/** Converts the command of a launcher with workers of two slots each. */
function run(command: readonly string[], implementation = "MPICH", replicas = 2) {
    const spec = { slotsPerWorker: 2, mpiImplementation: implementation };
    const { args, warnings } = convert({ spec, launcher: { command }, replicas });
    assertPreview(args);
    const { image: _, size: __, ...others } = args;
    return {
        args: others,
        // Those of the implementation are tested elsewhere.
        warnings: warnings.filter((warning) => !warning.startsWith("spec.mpiImplementation")),
    };
}

const words = (text: string) => text.split(" ");

describe("mpirun of an MPIJob", () => {
    const same: [command: string, expected: object, implementation?: string, replicas?: number][] = [
        ["mpirun a", { tasks: 4 }],
        ["/opt/mpi/bin/mpiexec a", { tasks: 4 }],
        ["mpirun -n 2 a", { tasks: 2, nodes: 1 }],
        ["mpirun -np 3 a", { tasks: 3 }],
        ["mpirun --np=8 a", { tasks: 8, cores: 4 }],
        ["mpirun -np 2 -ppn 1 a", { tasks: 2 }],
        ["mpirun -perhost 3 a", { tasks: 6 }],
        ["mpirun -f /etc/mpi/hostfile -genvall a", { tasks: 4 }],
        ["mpirun -genv A 1 -env B x a", { tasks: 4, environment: { A: "1", B: "x" } }],
        ["mpirun -wdir /data a", { tasks: 4, workingDir: "/data" }],
        ["mpirun -bind-to none a", { tasks: 4, shellOptions: { "cpu-affinity": "off" } }],
        ["mpirun.openmpi -x A=b a", { tasks: 4, environment: { A: "b" } }],
        ["mpirun --allow-run-as-root --hostfile /etc/mpi/hostfile -x PATH a", { tasks: 4 }, "OpenMPI"],
        ["mpirun -npernode 2 a", { tasks: 4 }, "OpenMPI"],
        ["mpirun -N 1 a", { tasks: 2 }, "OpenMPI"],
        ["mpirun -pernode a", { tasks: 2 }, "OpenMPI"],
        ["mpirun --map-by ppr:1:node a", { tasks: 2 }, "OpenMPI"],
        ["mpirun --map-by slot:PE=2 a", { tasks: 4, coresPerTask: 2 }, "OpenMPI"],
        ["mpirun -np 2 --map-by node a", { tasks: 2, shellOptions: { taskmap: '{"scheme":"cyclic"}' } }, "OpenMPI"],
        [
            "mpirun -mca pml ob1 --mca btl_tcp_if_include eth0 a",
            { tasks: 4, environment: { OMPI_MCA_pml: "ob1", OMPI_MCA_btl_tcp_if_include: "eth0" } },
            "OpenMPI",
        ],
        ["mpirun --timeout 60 a -n 3", { command: ["a", "-n", "3"], tasks: 4, timeLimit: 60 }, "OpenMPI"],
        ["mpirun -cpus-per-proc 2 -np 3 a", { tasks: 3, nodes: 2, coresPerTask: 2 }, "OpenMPI", 4],
        ["orterun -genv A 1 a", { tasks: 4, environment: { A: "1" } }],
        [
            "horovodrun -np 4 --cycle-time-ms 2 --autotune --fusion-threshold-mb 1 python a.py",
            {
                command: ["python", "a.py"],
                tasks: 4,
                environment: {
                    HOROVOD_AUTOTUNE: "1",
                    HOROVOD_CYCLE_TIME: "2",
                    HOROVOD_FUSION_THRESHOLD: "1048576",
                },
            },
        ],
        [
            "deepspeed --no_local_rank --num_nodes 1 --num_gpus=4 --master_port 29500 a.py --deepspeed",
            { command: ["python3", "-u", "a.py", "--deepspeed"], tasks: 4, nodes: 1, rendezvous: { port: 29500 } },
        ],
        [
            "deepspeed --no_local_rank --module a.b",
            { command: ["python3", "-u", "-m", "a.b"], tasks: 4, rendezvous: {} },
        ],
        ["deepspeed --no_local_rank --no_python ./a", { command: ["./a"], tasks: 4, rendezvous: {} }],
    ];
    for (const [command, expected, implementation, replicas] of same) {
        it(`becomes arguments: ${command}`, () => {
            const { args, warnings } = run(words(command), implementation, replicas);
            const { cores: _, ...others } = args;
            const { cores: __, ...wanted } = { command: ["a"], ...expected } as Record<string, unknown>;
            assert.deepEqual(others, wanted);
            assert.deepEqual(
                warnings.filter((warning) => !warning.includes("horovodrun is replaced by Flux")),
                [],
            );
        });
    }

    const warned: [command: string, place: number, words: RegExp, implementation?: string][] = [
        [
            "mpirun -hosts a,b a",
            1,
            /has -hosts a,b, which has no counterpart, so it is left out\. docs\/from-mpi-operator\.md/,
        ],
        ["mpirun -f /my/hosts a", 1, /has -f \/my\/hosts, which names hosts\. Flux takes all ranks;/],
        ["mpirun -launcher ssh a", 1, /has -launcher ssh, which has no counterpart/],
        ["mpirun -iface eth0 a", 1, /has -iface eth0, which has no counterpart/],
        ["mpirun -bind-to core a", 1, /has -bind-to core, which the pods decide: see docs\/cpus\.md\./],
        ["mpirun -prepend-rank a", 1, /has -prepend-rank, read as an option without a value, which has no counterpart/],
        ["mpirun -n x a", 1, /has -n x, which is no whole number from 1 on\./],
        ["mpirun -odd a", 1, /has -odd, read as an option without a value, which has no counterpart/],
        ["mpirun -mca plm_rsh_args -p a", 1, /has -mca plm_rsh_args -p, which is a parameter of the start/, "OpenMPI"],
        ["mpirun --map-by socket a", 1, /has --map-by socket, which has no counterpart/, "OpenMPI"],
        [
            "mpirun --report-bindings a",
            1,
            /has --report-bindings, read as an option without a value, which has no counterpart/,
            "OpenMPI",
        ],
        ["mpirun --prefix /opt a", 1, /has --prefix \/opt, which has no counterpart/, "OpenMPI"],
        ["horovodrun a", 0, /horovodrun is replaced by Flux, which offers no Gloo controller\./],
        ["deepspeed a", 0, /deepspeed passes --local_rank to the script; here the script gets LOCAL_RANK only/],
    ];
    for (const [command, place, text, implementation] of warned) {
        it(`gets a warning at its word: ${command}`, () => {
            const { args, warnings } = run(words(command), implementation);
            assert.equal(warnings.length, 1, warnings.join("\n"));
            assert.ok(warnings[0].startsWith(`${PATH}[${place}]: `), warnings[0]);
            assert.match(warnings[0], text);
            assert.equal(args["command"].at(-1), "a");
        });
    }

    it("has a warning for each option of horovodrun's elastic mode", () => {
        const options = "--min-np 1 --max-np 4 --host-discovery-script /etc/mpi/discover_hosts.sh";
        const { args, warnings } = run(words(`horovodrun -np 2 ${options} a`));
        assert.equal(warnings.filter((warning) => warning.includes("has no counterpart")).length, 3);
        assert.deepEqual(args, { command: ["a"], tasks: 2, nodes: 1 });
    });

    for (const command of ["mpirun -n 1 a : -n 2 b", "mpirun -n 2"]) {
        it(`stays as it is, once on the lead, with a warning: ${command}`, () => {
            const { args, warnings } = run(words(command));
            assert.deepEqual(args, { command: words(command), launcher: true });
            assert.match(warnings[0], /it stays as it is, and reaches the lead's pod only\./);
        });
    }

    it("is read in a shell that does nothing else, with its quotes", () => {
        for (const shell of [
            ["sh", "-c"],
            ["/bin/bash", "-ec"],
        ]) {
            const { args, warnings } = run([...shell, "exec mpirun -n 4 \\\n  ./a 'b c' \"d\"\n"]);
            assert.deepEqual([args, warnings], [{ command: ["./a", "b c", "d"], tasks: 4 }, []]);
        }
    });
});

describe("a script of an MPIJob's launcher", () => {
    const IN_PLACE =
        "is a script, which runs once, on the lead, with flux run in place of mpirun. " +
        "Read the argument command; its tasks are those of mpirun.";
    const replaced: [script: string, expected: string][] = [
        ["cd /d && mpirun ./a", "cd /d && flux run --nodes=2 --ntasks=4 ./a"],
        ["mpirun -n $N ./a $X", "flux run --nodes=$((($N + 1) / 2 < 2 ? ($N + 1) / 2 : 2)) --ntasks=$N ./a $X"],
        ["mpirun -n $N -ppn 1 a", "flux run --nodes=$(($N < 2 ? $N : 2)) --ntasks=$N a"],
        ["mpirun -n $(nproc) a $X", "flux run --ntasks=$(nproc) a $X"],
        ["A=b mpirun -n 2 ./a > out", "A=b flux run --nodes=1 --ntasks=2 ./a > out"],
        ["if x; then time mpirun ./a; fi", "if x; then time flux run --nodes=2 --ntasks=4 ./a; fi"],
        ['mpirun -genv A "$B" -wdir "$D" a | tee o', 'flux run --nodes=2 --ntasks=4 --cwd="$D" --env=A="$B" a | tee o'],
        ["mpirun -n 1 a; mpirun -n 2 b", "flux run --nodes=1 --ntasks=1 a; flux run --nodes=1 --ntasks=2 b"],
        ["# mpirun a\nx; mpirun 'b c'", "# mpirun a\nx; flux run --nodes=2 --ntasks=4 'b c'"],
        ['mpirun --np="$N" a b', 'flux run --nodes=$((($N + 1) / 2 < 2 ? ($N + 1) / 2 : 2)) --ntasks="$N" a b'],
        ["x; mpirun -bind-to none a", "x; flux run --nodes=2 --ntasks=4 --setopt=cpu-affinity=off a"],
        ["x() { mpirun -n 2 a; }\nx", "x() { flux run --nodes=1 --ntasks=2 a; }\nx"],
    ];
    for (const [script, expected] of replaced) {
        it(`has flux run in place of mpirun: ${JSON.stringify(script)}`, () => {
            const { args, warnings } = run(["bash", "-c", script]);
            assert.deepEqual(args, { command: ["bash", "-c", expected], launcher: true });
            assert.deepEqual(warnings, [`${PATH}[2]: ${IN_PLACE}`]);
        });
    }

    const kept: [command: string[], warning: RegExp][] = [
        [["bash", "-c", "timeout 9 mpirun a"], /\[2\]: calls a program such as mpirun where it isn't replaced/],
        [["bash", "-c", "cat <<E\nE\nmpirun a"], /\[2\]: calls a program such as mpirun where it isn't replaced/],
        [["bash", "-c", "echo $(mpirun -n 1 a)"], /\[2\]: calls a program such as mpirun where it isn't replaced/],
        [["bash", "-c", "./driver.sh; true"], /\[2\]: is a script without mpirun, which runs once, on the lead\./],
        [["python", "driver.py"], /\[0\]: is python, which runs once, on the lead\. If it calls mpiexec/],
        [["timeout", "9", "mpirun", "a"], /\[2\]: is mpirun behind another program, which isn't replaced/],
    ];
    for (const [command, warning] of kept) {
        it(`stays as it is, with a warning: ${JSON.stringify(command)}`, () => {
            const { args, warnings } = run(command);
            assert.deepEqual(args, { command, launcher: true });
            assert.equal(warnings.length, 1, warnings.join("\n"));
            assert.match(warnings[0], warning);
        });
    }

    it("is made of words with a variable that Kubernetes fills in each pod", () => {
        const env = [{ name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }];
        const launcher = { command: ["mpirun", "-n", "2", "a b", "--key=$(KEY)"], env };
        const { args } = convert({ launcher });
        const script = `exec flux run --nodes=2 --ntasks=2 'a b' --key="\${KEY}"`;
        assert.deepEqual([args["command"], args["launcher"]], [["bash", "-c", script], true]);
        assertPreview(args);
    });

    it("gets a warning if a variable is where the program is expected", () => {
        const { args, warnings } = run(["bash", "-c", "x; mpirun $ALL"]);
        assert.deepEqual(args["command"], ["bash", "-c", "x; flux run --nodes=2 --ntasks=4 $ALL"]);
        assert.match(warnings[0], /\[2\]: has \$ALL where the program is expected, .* in their place\.$/);
    });

    it("gets as many cores as its tasks need", () => {
        const limits = { resources: { limits: { cpu: 1 } } };
        const { args, warnings } = convert({
            launcher: { command: ["sh", "-c", "x; mpirun -n 6 a"] },
            worker: limits,
        });
        assert.equal(args["cores"], 3);
        assert.ok(warnings.some((warning) => warning.includes("starts 6 tasks; a rank needs 3 cores")));
    });

    it("gets a warning if it starts deepspeed, for which rendezvous would be needed", () => {
        const { args, warnings } = run(["sh", "-c", "x; deepspeed --no_local_rank a.py"]);
        assert.deepEqual(args["command"], ["sh", "-c", "x; flux run --nodes=2 --ntasks=4 python3 -u a.py"]);
        assert.match(warnings[1], /starts deepspeed in a script, for which the argument rendezvous can't be given\./);
    });
});
