import { existsSync, readFileSync } from "node:fs";

interface Counts {
    readonly kind: "counts";
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly again?: boolean;
}

/** From here on, failed files run once more. */
interface Again {
    readonly kind: "again";
    readonly files: readonly string[];
}

interface Timed {
    readonly kind: "hook" | "test";
    readonly file: string;
    readonly title: string;
    readonly seconds: number;
}

interface Step {
    readonly kind: "step";
    readonly file?: string;
    readonly step: string;
    readonly seconds: number;
}

interface Phase {
    readonly kind: "phase";
    readonly phase: string;
    readonly seconds: number;
}

/** A failed test or hook, with its error and stack, or a failed check of the runner, with its output. */
interface Failure {
    readonly kind: "failure";
    readonly file: string;
    readonly title: string;
    readonly what: string;
    /** True in the second run of its file. */
    readonly again?: boolean;
}

/** A measurement by the runner, by mocha or by a test's helper. */
export type Entry = Again | Counts | Failure | Phase | Step | Timed;

export interface FileProfile {
    readonly seconds: number;
    readonly tests: number;
    readonly steps: Readonly<Record<string, number>>;
}

/** Durations of a test run, in seconds. Files run side by side, so their sum exceeds the run's duration. */
export interface Profile {
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly failures: readonly Failure[];
    /** First failures of files that were run once more. */
    readonly unstable: readonly Failure[];
    /** Parts of the run, in the order of their ends; some run side by side. */
    readonly phases: Readonly<Record<string, number>>;
    /** Count and total duration of each step. */
    readonly steps: Readonly<Record<string, { readonly count: number; readonly seconds: number }>>;
    readonly files: Readonly<Record<string, FileProfile>>;
    /** The ten tests and hooks that took longest. */
    readonly slowest: readonly { readonly title: string; readonly file: string; readonly seconds: number }[];
}

const TABLE_ROWS = 10;

/** The end of a run shows so many first and last lines of each failure; the profile's file has all lines. */
const FIRST_LINES = 5;
const LAST_LINES = 12;

export function readProfile(path: string): Profile {
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
    return summarize(lines.map((line) => JSON.parse(line) as Entry));
}

export function summarize(entries: readonly Entry[]): Profile {
    const counts = entries.filter((entry): entry is Counts => entry.kind === "counts");
    const failures = entries.filter((entry): entry is Failure => entry.kind === "failure");
    const repeated = entries.flatMap((entry) => (entry.kind === "again" ? entry.files : []));
    const isFirst = ({ again, file }: Failure) => again !== true && repeated.includes(file);
    const unstable = failures.filter(isFirst);
    const [first, second] = [false, true].map((again) => counts.filter((entry) => (entry.again ?? false) === again));
    const failedAgain = sum(second.map(({ failed }) => failed));
    const measured = entries.filter((entry): entry is Timed => entry.kind === "test" || entry.kind === "hook");
    const steps = entries.filter((entry): entry is Step => entry.kind === "step");
    const phases = entries.filter((entry): entry is Phase => entry.kind === "phase");
    const files = [...new Set(measured.map(({ file }) => file))].map((file) => {
        const own = measured.filter((entry) => entry.file === file);
        const tests = own.filter(({ kind }) => kind === "test").length;
        return [
            file,
            { seconds: total(own), tests, steps: durations(steps.filter((step) => step.file === file)) },
        ] as const;
    });
    return {
        passed: sum(first.map(({ passed }) => passed)) + Math.max(0, unstable.length - failedAgain),
        failed: sum(first.map(({ failed }) => failed)) - unstable.length + failedAgain,
        skipped: sum(first.map(({ skipped }) => skipped)),
        failures: failures.filter((failure) => !isFirst(failure)),
        unstable,
        phases: Object.fromEntries(phases.map(({ phase, seconds }) => [phase, round(seconds)])),
        steps: Object.fromEntries(
            names(steps).map((name) => {
                const same = steps.filter(({ step }) => step === name);
                return [name, { count: same.length, seconds: total(same) }];
            }),
        ),
        files: Object.fromEntries(files.sort(([, a], [, b]) => b.seconds - a.seconds)),
        slowest: [...measured]
            .sort((a, b) => b.seconds - a.seconds)
            .slice(0, TABLE_ROWS)
            .map(({ file, seconds, title }) => ({ title, file, seconds })),
    };
}

/** The closing tables of a run: which parts, steps, files and tests took the time. */
export function table({ files, phases, slowest, steps }: Profile): string {
    const rows = (title: string, lines: readonly (readonly [string, number, string?])[]) =>
        lines.length === 0
            ? []
            : [
                  `\n${title}`,
                  ...lines.map(([name, seconds, note = ""]) => `${seconds.toFixed(1).padStart(8)} s  ${name}${note}`),
              ];
    const mostSeconds = Object.entries(steps).sort(([, a], [, b]) => b.seconds - a.seconds);
    return [
        ...rows("Parts of the run", Object.entries(phases)),
        ...rows(
            "Steps of all tests together",
            mostSeconds.map(([name, { count, seconds }]) => [name, seconds, ` (${count})`]),
        ),
        ...rows(
            "The most expensive files",
            Object.entries(files)
                .slice(0, TABLE_ROWS)
                .map(([file, { seconds, tests }]) => [file, seconds, ` (${tests} tests)`]),
        ),
        ...rows(
            "The most expensive tests and hooks",
            slowest.map(({ seconds, title }) => [title, seconds]),
        ),
    ].join("\n");
}

/** Repeats all failures at the end, so that the last lines of a log contain them; before them, what has passed at a second try. */
export function redList({ failures, unstable }: Profile): string {
    const hasFailedAgain = ({ file, title }: Failure) =>
        failures.some((failure) => failure.file === file && failure.title === title);
    return (
        listed(
            "UNSTABLE, failed beside other tests and passed alone",
            unstable.filter((one) => !hasFailedAgain(one)),
        ) + listed("FAILED", failures)
    );
}

function listed(word: string, failures: readonly Failure[]): string {
    const texts = failures.map(({ file, title, what }) => {
        // The error of a Pulumi command has its text twice, with the cause at the end.
        const [once = ""] = what.split("\n err?: ");
        const lines = once.split("\n").filter((line) => line.trim() !== "" && !/^ +at /.test(line));
        const isLong = lines.length > FIRST_LINES + LAST_LINES;
        const shown = isLong ? [...lines.slice(0, FIRST_LINES), "...", ...lines.slice(-LAST_LINES)] : lines;
        return [`${word}: ${title}${file === "" ? "" : ` (${file})`}`, ...shown.map((line) => `    ${line}`)].join(
            "\n",
        );
    });
    return texts.map((text) => `${text}\n\n`).join("");
}

/** The one line that CI reads. */
export function closingLine({ failed, passed, skipped }: Profile): string {
    return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

const names = (steps: readonly Step[]): string[] => [...new Set(steps.map(({ step }) => step))];

function durations(steps: readonly Step[]): Record<string, number> {
    return Object.fromEntries(names(steps).map((name) => [name, total(steps.filter(({ step }) => step === name))]));
}

const total = (entries: readonly { readonly seconds: number }[]): number =>
    round(sum(entries.map(({ seconds }) => seconds)));

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const round = (seconds: number): number => Math.round(seconds * 100) / 100;
