import { inShell } from "../shell";
import { type Fields, given, type Reader, type Values } from "../reader";
import { type Environment, expandVariables } from "./environment";
import { fluxRun, optionsOf, startedBy } from "./launch/flux";
import { isStarter, readLaunch } from "./launch/read";
import type { Word } from "./launch/launch";
import { type Own, warnOfOwnNames } from "./ownNames";
import { LAUNCHER, mainContainer, type Replicas } from "./replicas";
import { hasStarter, rewritten, shellCallOf, singleCommand } from "./script/script";
import type { Started } from "./tasks";

/** What the launcher's command depends on. */
export interface Context {
    readonly environment: Environment;
    readonly implementation: string;
    readonly own: Own;
    readonly replicas: Replicas;
}

/** The launcher's command, as arguments of a MiniCluster. */
export interface Run {
    readonly args: Values;
    /** Variables that the command sets for its processes. */
    readonly environment: Readonly<Record<string, string>>;
    readonly started: readonly Started[];
}

/** Reads the launcher's command. Flux starts the processes in place of mpirun. */
export function readCommand(reader: Reader, context: Context): Run {
    const words = wordsOf(reader, context);
    const run = runOf(reader, words, context);
    warnOfOwnNames(reader, context.own, words[0].path, (run.args.command as string[]).join(" "));
    return run;
}

function runOf(reader: Reader, words: readonly Word[], context: Context): Run {
    if (words.some(({ expands }) => expands)) {
        const script = `exec ${words.map(({ raw }) => raw).join(" ")}`;
        return scriptRun(reader, { before: ["bash", "-c"], script, after: [], path: words[0].path }, context);
    }
    const texts = words.map(({ text }) => text);
    const call = shellCallOf(texts);
    if (call === undefined) {
        return wordRun(reader, words, context);
    }
    const { path, text: script } = words[call.index];
    const single = call.isPlain ? singleCommand(script, path) : undefined;
    return single !== undefined && isStarter(single[0].text)
        ? wordRun(reader, single, context)
        : scriptRun(
              reader,
              { before: texts.slice(0, call.index), script, after: texts.slice(call.index + 1), path },
              context,
          );
}

/** The words of the launcher's container, in which Kubernetes has replaced variables. */
function wordsOf(reader: Reader, { environment, replicas }: Context): Word[] {
    const { args = [], command = [] } = replicas.launcher.spec.containers[0] as Fields;
    const path = mainContainer(LAUNCHER);
    const words = [...listed(command, `${path}.command`), ...listed(args, `${path}.args`)].map(
        ({ text, path: place }) => {
            const { hasReference, raw, text: expanded } = expandVariables(text, environment);
            return { text: expanded, raw, expands: hasReference, path: place };
        },
    );
    if (words.length === 0 || /^-|^$/.test(words[0].text)) {
        const reason = "has no program: the image's own entry point runs there, which isn't known here.";
        throw new Error(`${reader.placed(path)} ${reason} Give command.`);
    }
    if (command.length === 0) {
        const reason = "is given without command, so the image's entry point runs before it. Here it doesn't run.";
        reader.warn(`${path}.args`, `${reason} For what it prepares, such as variables, give hooks.init.`);
    }
    return words;
}

function listed(words: readonly string[], path: string): { readonly text: string; readonly path: string }[] {
    return words.map((text, index) => ({ text, path: `${path}[${index}]` }));
}

/** A command of words: mpirun with a program, or another one that runs once. */
function wordRun(reader: Reader, words: readonly Word[], context: Context): Run {
    const launch = isStarter(words[0].text) ? readLaunch(reader, words, context.implementation) : undefined;
    const texts = words.map(({ text }) => text);
    if (launch === undefined) {
        if (!isStarter(texts[0])) {
            warnOfProgram(reader, words, context);
        }
        return { args: { command: inShell(texts), launcher: true }, environment: {}, started: [] };
    }
    const { environment, ...options } = optionsOf(launch, context.replicas);
    const command = launch.program.map(({ text }) => text);
    return {
        args: given({ command, ...options }),
        environment,
        started: startedBy(launch, context.replicas, words[0].path),
    };
}

function warnOfProgram(reader: Reader, words: readonly Word[], { implementation }: Context): void {
    const [{ path, text }] = words;
    const other = words.find((word) => isStarter(word.text));
    if (other !== undefined) {
        const reason = `is ${other.text} behind another program, which isn't replaced, and reaches the lead's pod only.`;
        reader.warn(other.path, `${reason} Write flux run -n TASKS in its place.`);
        return;
    }
    const starter = implementation === "OpenMPI" ? "mpirun" : "mpiexec";
    const reason = `is ${text}, which runs once, on the lead. If it calls ${starter}, that reaches the lead's pod only.`;
    reader.warn(path, `${reason} Let it call flux run -n TASKS in place of ${starter}.`);
}

interface Script {
    readonly before: readonly string[];
    readonly script: string;
    readonly after: readonly string[];
    readonly path: string;
}

/** A script, which runs once, on the lead, with flux run in place of mpirun. */
function scriptRun(reader: Reader, { after, before, path, script }: Script, context: Context): Run {
    const { implementation, replicas } = context;
    const { isWhole, launches, text } = rewritten(reader, script, {
        implementation,
        path,
        render: (launch) => fluxRun(launch, replicas),
    });
    if (launches.length > 0) {
        const reason = "is a script, which runs once, on the lead, with flux run in place of mpirun.";
        reader.warn(path, `${reason} Read the argument command; its tasks are those of mpirun.`);
    }
    if (!isWhole || hasStarter(after.join(" "))) {
        const reason =
            "calls a program such as mpirun where it isn't replaced, and where it reaches the lead's pod only.";
        reader.warn(path, `${reason} Write flux run -n TASKS in its place.`);
    } else if (launches.length === 0) {
        const reason = "is a script without mpirun, which runs once, on the lead.";
        reader.warn(path, `${reason} If a program of it calls mpirun, let it call flux run -n TASKS.`);
    }
    if (launches.some(({ rendezvous }) => rendezvous !== undefined)) {
        const reason = "starts deepspeed in a script, for which the argument rendezvous can't be given.";
        reader.warn(path, `${reason} Write the command without a shell, or set MASTER_ADDR and the other variables.`);
    }
    const started = launches.flatMap((launch) => startedBy(launch, replicas, path));
    return { args: { command: [...before, text, ...after], launcher: true }, environment: {}, started };
}
