import { runOptionWords } from "../../../provider/contract/runOptions";
import { filled, given, type Values } from "../../reader";
import { quoted } from "../../shell";
import { type Slots, spreadOver, type Started } from "../tasks";
import type { Launch, Word } from "./launch";

/** The options of Flux for what mpirun would start. */
interface Options extends Values {
    readonly tasks: number;
    readonly nodes?: number;
    readonly environment: Readonly<Record<string, string>>;
}

/** The arguments of a MiniCluster besides the command itself. */
export function optionsOf(launch: Launch, slots: Slots): Options {
    const { environment, rendezvous, workingDir } = launch;
    const { nodes, tasks } = spread(launch, slots);
    const port = rendezvous?.port && Number(rendezvous.port.text);
    return {
        ...runOptions(launch),
        tasks,
        // The default is as many ranks as there are tasks.
        nodes: nodes === Math.min(tasks, slots.size) ? undefined : nodes,
        rendezvous: rendezvous && given({ port }),
        ...given({ workingDir: workingDir?.text }),
        environment: Object.fromEntries(Object.entries(environment).map(([name, { text }]) => [name, text])),
    };
}

/** The words of `flux run` for a script, up to the program. */
export function fluxRun(launch: Launch, slots: Slots): string {
    const { environment, tasks, workingDir } = launch;
    const isOpen = tasks?.expands === true;
    const { nodes, tasks: count } = spread(launch, slots);
    const words = runOptionWords({ ...runOptions(launch), ...(isOpen ? {} : { nodes, tasks: count }) });
    return [
        "flux run",
        ...words.map((word) => quoted(word)),
        ...(isOpen ? openCounts(tasks.raw, numberOf(launch.perNode) ?? slots.slots, slots.size) : []),
        ...(workingDir === undefined ? [] : [`--cwd=${workingDir.raw}`]),
        ...Object.entries(environment).map(([name, { raw }]) => `--env=${name}=${raw}`),
        ...program(launch),
    ].join(" ");
}

/** The options for a number of tasks that only the shell knows. It also counts the nodes for them, if it can. */
function openCounts(raw: string, each: number, size: number): string[] {
    const [, variable] = /^"?(\$\w+|\$\{\w+\})"?$/.exec(raw) ?? [];
    const count = `--ntasks=${raw}`;
    if (variable === undefined) {
        return [count];
    }
    const nodes = each === 1 ? variable : `(${variable} + ${each - 1}) / ${each}`;
    return [`--nodes=$((${nodes} < ${size} ? ${nodes} : ${size}))`, count];
}

/** Words that the script doesn't have, such as those of Python. */
function program({ program: words, added = 0 }: Launch): string[] {
    return words.slice(0, added).map(({ raw }) => raw);
}

/** The tasks of a launch whose number is known. */
export function startedBy(launch: Launch, slots: Slots, path: string): Started[] {
    const { coresPerTask } = runOptions(launch);
    return launch.tasks?.expands ? [] : [{ path, ...spread(launch, slots), ...given({ coresPerTask }) }];
}

function spread(launch: Launch, slots: Slots): { readonly tasks: number; readonly nodes: number } {
    const { isCyclic, nodes, perNode, tasks } = launch;
    return spreadOver({ isCyclic, nodes: numberOf(nodes), perNode: numberOf(perNode), tasks: numberOf(tasks) }, slots);
}

function runOptions({ coresPerTask, isCyclic, shellOptions, timeLimit }: Launch): Values {
    const all = isCyclic ? { ...shellOptions, taskmap: '{"scheme":"cyclic"}' } : shellOptions;
    return given({
        coresPerTask: numberOf(coresPerTask),
        timeLimit: numberOf(timeLimit),
        shellOptions: filled(all),
    });
}

/** The number of a word; undefined if a shell has to read it first. */
function numberOf(word: Word | undefined): number | undefined {
    return word === undefined || word.expands ? undefined : Number(word.text);
}
