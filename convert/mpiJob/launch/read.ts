import type { Reader } from "../../reader";
import { DEEP_SPEED, HOROVOD, withPython } from "./learning";
import { HYDRA, OPEN_MPI } from "./mpirun";
import { behindSign, type Launch, NO_COUNTERPART, type Options, programName, type Word } from "./launch";

/** The programs of Open MPI and of Hydra, with options of the other one behind their own. */
const FAMILIES = {
    openMpi: { ...HYDRA, ...OPEN_MPI },
    hydra: { ...OPEN_MPI, ...HYDRA },
    horovod: HOROVOD,
    deepSpeed: DEEP_SPEED,
} satisfies Record<string, Options>;

type Family = keyof typeof FAMILIES;

const PROGRAMS: Readonly<Record<string, Family>> = {
    deepspeed: "deepSpeed",
    horovodrun: "horovod",
    "mpiexec.hydra": "hydra",
    "mpiexec.mpich": "hydra",
    "mpiexec.openmpi": "openMpi",
    "mpirun.mpich": "hydra",
    "mpirun.openmpi": "openMpi",
    orterun: "openMpi",
    oshrun: "openMpi",
    prterun: "openMpi",
};

/** The kind of program that starts processes; undefined if it is another program. */
function familyOf(text: string, implementation: string): Family | undefined {
    const name = programName(text);
    if (name === "mpirun" || name === "mpiexec") {
        return implementation === "OpenMPI" ? "openMpi" : "hydra";
    }
    return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
}

/** True for the name of a program that starts processes, such as mpirun. */
export function isStarter(text: string): boolean {
    return familyOf(text, "OpenMPI") !== undefined;
}

/**
 * Reads the words from mpirun on, as far as it is followed by a program. Undefined, with a warning, if it starts several
 * programs or none.
 */
export function readLaunch(reader: Reader, words: readonly Word[], implementation: string): Launch | undefined {
    const [starter, ...rest] = words;
    const family = familyOf(starter.text, implementation);
    if (family === undefined) {
        return undefined;
    }
    const launch: Launch = { program: rest, environment: {}, shellOptions: {} };
    const given = readOptions(reader, rest, FAMILIES[family], launch);
    const problem = problemOf(rest, family);
    if (problem !== undefined) {
        const reason = `${programName(starter.text)} ${problem}, so it stays as it is, and reaches the lead's pod only.`;
        const cure =
            "Flux runs one program in all tasks: write flux run for each, or a program that asks for its rank.";
        reader.warn(starter.path, `${reason} ${cure}`);
        return undefined;
    }
    warnOfProgram(reader, starter, rest[0]);
    if (family === "deepSpeed") {
        withPython(launch, given);
        warnOfLocalRank(reader, starter, given);
    }
    if (family === "horovod") {
        const cure = "Horovod must be built with MPI; see mpiImplementation in docs/from-mpi-operator.md.";
        reader.warn(starter.path, `horovodrun is replaced by Flux, which offers no Gloo controller. ${cure}`);
    }
    return launch;
}

/** Why Flux can't start what the words behind the options say. */
function problemOf(words: readonly Word[], family: Family): string | undefined {
    if (words.length === 0) {
        return "starts no program";
    }
    const isMpi = family === "openMpi" || family === "hydra";
    return isMpi && words.some(({ text }) => text === ":") ? "starts several programs, divided by a colon" : undefined;
}

function warnOfProgram(reader: Reader, starter: Word, { expands, raw }: Word): void {
    if (expands) {
        const reason = `has ${raw} where the program is expected, and flux run takes it as the program.`;
        const name = programName(starter.text);
        reader.warn(starter.path, `${reason} If it has options of ${name}, write those of flux run in their place.`);
    }
}

function warnOfLocalRank(reader: Reader, { path }: Word, given: ReadonlySet<string>): void {
    if (!given.has("no_local_rank")) {
        const reason = "deepspeed passes --local_rank to the script; here the script gets LOCAL_RANK only, a variable.";
        reader.warn(path, `${reason} Read the variable, as deepspeed.init_distributed does.`);
    }
}

/** True for an option, whose name no shell changes. */
function isOption({ expands, text }: Word): boolean {
    return /^-./.test(text) && (!expands || /^-[\w-]+=/.test(text));
}

/** Takes the options from the words, and returns their names. */
function readOptions(reader: Reader, words: Word[], options: Options, launch: Launch): ReadonlySet<string> {
    const given = new Set<string>();
    while (words.length > 0 && isOption(words[0])) {
        const word = words.shift() as Word;
        const [, name, attached] = /^--?([^=]+)(?:=([^]*))?$/.exec(word.text) ?? ["", word.text];
        const option = Object.hasOwn(options, name) ? options[name] : undefined;
        given.add(name);
        if (option === undefined) {
            reader.warn(word.path, `has ${word.text}, read as an option without a value, which ${NO_COUNTERPART}`);
            continue;
        }
        const inWord = attached === undefined ? [] : [behindSign(word)];
        const values = [...inWord, ...words.splice(0, Math.max(0, option.values - inWord.length))];
        if (values.length < option.values) {
            reader.warn(word.path, `has ${word.text} without a value. Give it.`);
            continue;
        }
        const problem = option.effect(launch, ...(option.values === 0 ? [word] : values));
        if (typeof problem === "string") {
            const shown = [word, ...values.slice(inWord.length)].map(({ text }) => text).join(" ");
            reader.warn(word.path, `has ${shown}, which ${problem}`);
        }
    }
    return given;
}
