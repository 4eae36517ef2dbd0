import { BINDING, HOSTS, hostfiles, OUTPUT, PLACEMENT, PRINTS, SSH, WORKING_DIR } from "./common";
import { behindSign, type Launch, needless, number, options, type Options, setVariable, without } from "./launch";
import type { Word } from "./word";

/** Frameworks of Open MPI and PMIx that only the start by mpirun has. */
const OF_THE_START =
    /^(errmgr|ess|filem|grpcomm|iof|odls|oob|orte|plm|plugin|prte|ras|rmaps|rml|routed|rtc|schizo|snapc|state)(_|$)/;

/** Options of mpirun of Open MPI (4 and 5). */
export const OPEN_MPI: Options = {
    ...number("n np c", "tasks"),
    ...number("npernode N", "perNode"),
    ...number("cpus-per-proc cpus-per-rank", "coresPerTask"),
    ...number("timeout", "timeLimit"),
    ...options("pernode", 0, (launch, option) => {
        launch.perNode = { ...option, text: "1", raw: "1" };
    }),
    ...options("x", 1, (launch, word) => {
        const [, name] = /^(\w+)=/.exec(word.text) ?? [];
        // The tasks have all variables of the pods in any case.
        return name === undefined ? undefined : setVariable(launch, name, behindSign(word));
    }),
    ...options("mca gmca omca", 2, setParameter),
    ...options("prtemca pmixmca", 2, () => "is a parameter of the start by mpirun, which Flux replaces. Remove it."),
    ...BINDING,
    ...options("map-by", 1, mapBy),
    ...options("bynode", 0, (launch) => {
        launch.isCyclic = true;
    }),
    ...WORKING_DIR,
    ...needless(
        "allow-run-as-root byslot enable-recovery nooversubscribe oversubscribe no-oversubscribe v verbose q quiet",
    ),
    ...hostfiles("hostfile machinefile default-hostfile"),
    ...without("H host max-vm-size", 1, HOSTS),
    ...without("nolocal", 0, HOSTS),
    ...without("rankfile rf app", 1, "Flux has no file for it: give run options, or several FluxJobs."),
    ...without("prefix path", 1, "Set PATH in environment, or in hooks.init."),
    ...without("launch-agent", 1, SSH),
    ...without("tune am", 1, "Set the parameters of the file as variables OMPI_MCA_NAME in environment."),
    ...without("output-filename output", 1, OUTPUT),
    ...without("tag-output timestamp-output merge-stderr-to-stdout xml", 0, OUTPUT),
    ...without("xml-file xterm", 1, OUTPUT),
    ...without("stdin", 1, "Each task has an empty input; give inputFile."),
    ...without("rank-by cpu-list cpu-set npersocket ppr mapby slot-list", 1, PLACEMENT),
    ...without("bind-to-core bind-to-socket bycore use-hwthread-cpus", 0, PLACEMENT),
    ...without(
        "report-pid report-uri ompi-server hnp cartofile cf debugger preload-files display personality",
        1,
        PRINTS,
    ),
    ...without(
        "report-bindings display-map display-devel-map display-topo display-allocation display-diffable-map debug debug-daemons " +
            "d debug-devel leave-session-attached tv preload-binary s do-not-launch do-not-resolve continuous disable-recovery " +
            "report-state-on-timeout get-stack-traces index-argv-by-rank set-cwd-to-session-dir",
        0,
        PRINTS,
    ),
};

/** Parameters of the library are variables; those of the start have no meaning under Flux. */
function setParameter(launch: Launch, name: Word, value: Word): string | undefined {
    if (OF_THE_START.test(name.text)) {
        return "is a parameter of the start by mpirun, which Flux replaces. Remove it.";
    }
    return setVariable(launch, `OMPI_MCA_${name.text}`, value);
}

const NODES = /^node(:|$)/;
const PER_NODE = /^ppr:(\d+):node(:|$)/;

/** Where mpirun places the processes: `slot` is the default, and modifiers follow a colon. */
function mapBy(launch: Launch, word: Word): string | undefined {
    const { text } = word;
    const [, perNode] = PER_NODE.exec(text) ?? [];
    const [, elements] = /:pe=(\d+)/i.exec(text) ?? [];
    if (elements !== undefined) {
        launch.coresPerTask = { ...word, text: elements, raw: elements };
    }
    if (perNode !== undefined) {
        launch.perNode = { ...word, text: perNode, raw: perNode };
        return undefined;
    }
    if (NODES.test(text)) {
        launch.isCyclic = true;
        return undefined;
    }
    return /^(slot)?(:|$)/.test(text) ? undefined : `has no counterpart. ${PLACEMENT}`;
}
