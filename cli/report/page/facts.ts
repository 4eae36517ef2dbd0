import { word } from "../../../provider/contract/paths";
import { amountInWords, type KeptResults } from "../../../provider/contract/results";
import { counted, sizeInWords } from "../../../provider/contract/words";
import type { Report } from "../model";
import { html, type Html } from "./html";
import { duration, instant } from "./words";

/** What ran: image, command, settings and times. */
export function facts(report: Report): Html {
    const { cluster, ran, slowest, startedAt, timings } = report;
    const { command, digests, fluxVersion, image, settings } = ran;
    const rows: [string, Html | string | undefined][] = [
        ["Image", image === "" ? undefined : code(image)],
        [
            digests.length > 1 ? "Digests" : "Digest",
            digests.length === 0 ? undefined : html`${digests.map((each) => html`${code(each)} `)}`,
        ],
        ["Command", command === undefined ? noCommand(settings) : code(command.map(word).join(" "))],
        ...filesOf(report),
        ["Flux", fluxVersion],
        ...Object.entries(settings),
        ["UID of the Job", code(cluster.uid)],
        ["Started", cluster.startedAt === undefined ? undefined : instant(cluster.startedAt)],
        ["Ended", cluster.endedAt === undefined ? undefined : instant(cluster.endedAt)],
        [startedAt === cluster.createdAt ? "Since creation" : "Since the last start", stepsOf(timings)],
        ["Slowest rank", slowest === "" ? undefined : slowest],
    ];
    const known = rows.filter((row): row is [string, Html | string] => row[1] !== undefined);
    return html`<dl class="facts">${known.map(
        ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
    )}</dl>
`;
}

/** What came from this machine, and what the command has left behind. */
function filesOf({ ran, results }: Report): [string, Html | undefined][] {
    return [
        ["Code", ran.code === undefined ? undefined : html`SHA-256 ${code(ran.code)}`],
        ["Results", results && resultsRow(results)],
    ];
}

/** Where the results are, or why they aren't, and their names. */
function resultsRow({ at, bytes, count, files, reason }: KeptResults): Html {
    const more = count > files.length ? html`<li>and ${counted(count - files.length, "more file")}</li>` : undefined;
    const rows = files.map((file) => html`<li>${code(file.path)} (${sizeInWords(file.bytes)})</li>`);
    const place = at === "" ? "" : html` in ${code(at)}`;
    const why = reason === undefined ? "" : `; ${reason}`;
    return html`${amountInWords({ bytes, count })}${place}${why}<ul class="list">${rows}${more}</ul>`;
}

/** A secret command isn't recorded. */
function noCommand({ Mode: mode }: Report["ran"]["settings"]): string | undefined {
    return mode === "ephemeral" ? undefined : "none: the cluster runs jobs";
}

function code(text: string): Html {
    return html`<code>${text}</code>`;
}

function stepsOf(timings: Report["timings"]): string | undefined {
    const steps = Object.entries(timings)
        .sort(([, a], [, b]) => a - b)
        .map(([step, seconds]) => `${step} ${duration(seconds)}`);
    return steps.length === 0 ? undefined : steps.join(", ");
}

/** What isn't in the report, and what failed. */
export function findings({ failures, missing }: Report): Html {
    const list = (lines: readonly Html[]) => html`<ul class="list">${lines}</ul>`;
    const failed = failures.map(
        ({ about, at, message }) =>
            html`<li><strong>${about}</strong>${at === undefined ? "" : ` at ${instant(at)}`}: ${message}</li>`,
    );
    return html`<h2 id="failures">Failures</h2>
${failed.length === 0 ? html`<p>No failure is known.</p>` : list(failed)}
${missing.length === 0 ? undefined : html`<h2 id="missing">Not in this report</h2>${list(missing.map((line) => html`<li>${line}</li>`))}`}
`;
}

export function noJobs({ jobs, madeAt }: Report): Html {
    const why =
        jobs === null
            ? "Flux' jobs are not known; see “Not in this report”."
            : `Flux knew no job at ${instant(madeAt)}.`;
    return html`<p>${why}</p>`;
}
