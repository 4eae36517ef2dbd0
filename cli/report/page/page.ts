import { createHash } from "node:crypto";

import type { Report } from "../model";
import { facts, findings, noJobs } from "./facts";
import { type Figure, figure } from "./figure";
import { gantt } from "./gantt";
import { head } from "./head";
import { html, Html } from "./html";
import { coreUse, queueLength } from "./load";
import { startCounts, starts } from "./starts";
import { STYLE } from "./style";
import { jobTables, podTable, warningTable } from "./tables";
import { viewOf } from "./view";
import { waits } from "./waits";

/**
 * The page has no script and loads nothing: a browser refuses both, and each style but this one, also if a text of a user
 * were read as HTML.
 */
const POLICY = [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
].join("; ");

/** The report as one file of HTML. */
export function page(report: Report): string {
    const { name, namespace } = report.cluster;
    const view = viewOf(report);
    const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>MiniCluster ${namespace}/${name}: report</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>${head(report)}${contents(report)}</header>
<main>
${findings(report)}
<h2 id="ran">What ran</h2>
${facts(report)}
<h2 id="time">Ranks and jobs</h2>
${figures(gantt(report, view), coreUse(report, view), queueLength(report, view))}
<h2 id="jobs">Jobs</h2>
${report.jobs === null || report.jobs.length === 0 ? noJobs(report) : html`${figures(waits(report))}${jobTables(report)}`}
<h2 id="ranks">Ranks</h2>
${report.pods.length === 0 ? html`<p>No pod is known.</p>` : html`${figures(startCounts(report), starts(report))}${podTable(report)}`}
<h2 id="warnings">Warnings of Kubernetes</h2>
${report.warnings.length === 0 ? html`<p>No warning is known.</p>` : warningTable(report)}
</main>
<footer><p>Made by minicluster report. Times of pods are Kubernetes', in whole seconds; times of jobs are Flux'. minicluster
report --json prints all values.</p></footer>
</body>
</html>
`;
    return document.text;
}

function contents({ missing }: Report): Html {
    const parts = [
        ["failures", "Failures"],
        ...(missing.length === 0 ? [] : [["missing", "Not in this report"]]),
        ["ran", "What ran"],
        ["time", "Ranks and jobs"],
        ["jobs", "Jobs"],
        ["ranks", "Ranks"],
        ["warnings", "Warnings"],
    ];
    return html`<nav aria-label="Contents"><ul>${parts.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}

function figures(...all: readonly (Figure | undefined)[]): Html {
    return html`${all.flatMap((each) => (each === undefined ? [] : figure(each)))}`;
}
