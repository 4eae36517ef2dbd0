import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { DOMParser } from "@xmldom/xmldom";
import fc from "fast-check";

import { collect } from "../../../../cli/report/collect";
import type { Report } from "../../../../cli/report/model";
import { legible } from "../../../../cli/report/page/html";
import { page } from "../../../../cli/report/page/page";
import { coreTime, duration } from "../../../../cli/report/page/words";
import { limit } from "../../../../scripts/tests/limits";
import { makeSource, type Run } from "../../support/runs";

const HOSTILE = [
    `</script><img src=x onerror=alert(1)>`,
    `"><svg onload=alert(1)>`,
    `'><a href="javascript:alert(1)">`,
    `</title></style><style>*{display:none}</style>`,
    `]]><![CDATA[`,
    `<!--`,
    `&lt;b&gt;`,
    `a\u202eb\u0000c\u001bd\ud800e`,
    `$&$1`,
    `two\nlines`,
];

const pageOf = (run: Run) => page(collect(makeSource(run)));

/** The elements of a page by their names, as XML reads it: a page that isn't well-formed fails. */
function elementsOf(text: string): Map<string, number> {
    const problems: string[] = [];
    const body = text.slice(text.indexOf("<body>"), text.indexOf("</html>"));
    const onError = (level: string, message: string) => void (level === "warning" || problems.push(message));
    const document = new DOMParser({ onError }).parseFromString(body, "text/xml");
    assert.deepEqual(problems, []);
    const counts = new Map<string, number>();
    for (const element of Array.from(document.getElementsByTagName("*"))) {
        counts.set(element.tagName, (counts.get(element.tagName) ?? 0) + 1);
        const attributes = Array.from(element.attributes);
        assert.ok(
            attributes.every(({ name }) => !/^on|^style$|^src$|^xlink/.test(name)),
            element.tagName,
        );
        assert.ok(attributes.every(({ name, value }) => name !== "href" || value.startsWith("#")));
    }
    return counts;
}

describe("The page of a report", () => {
    it("forbids scripts and requests, and names the digest of its style sheet", () => {
        const text = pageOf({ ranks: 2, jobs: 3 });
        const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? "";
        const digest = createHash("sha256").update(style).digest("base64");
        const policy = `default-src &#39;none&#39;; style-src &#39;sha256-${digest}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;`;
        assert.ok(text.includes(`<meta http-equiv="Content-Security-Policy" content="${policy}">`));
        assert.equal(text.match(/<style/g)?.length, 1);
        assert.doesNotMatch(text, /<script|<link|<img|@import|url\(/);
        assert.doesNotMatch(text.replaceAll('xmlns="http://www.w3.org/2000/svg"', ""), /https?:/);
    });

    it("has where the results are, the names and sizes of the first ones, and the code's SHA-256", () => {
        const files = ["a", "<b>"].map((path) => ({ path, bytes: 2048, sha256: "" }));
        const results = { at: "results/lammps", files, count: 7, bytes: 14_336, complete: true };
        const found = collect({ ...makeSource({ ranks: 1, jobs: 0 }), recorded: { results } });
        const text = page({ ...found, ran: { ...found.ran, code: "c0de" } });
        elementsOf(text);
        assert.ok(text.includes("<dt>Code</dt><dd>SHA-256 <code>c0de</code></dd>"));
        const list = "<li><code>a</code> (2 KiB)</li><li><code>&lt;b&gt;</code> (2 KiB)</li><li>and 5 more files</li>";
        const place = "7 files, 14 KiB in <code>results/lammps</code>";
        assert.ok(text.includes(`<dt>Results</dt><dd>${place}<ul class="list">${list}</ul></dd>`), text);
    });

    it("shows hostile names of jobs as text, in tables and in pictures", () => {
        const plain = elementsOf(pageOf({ ranks: 2, jobs: HOSTILE.length, nameOf: () => "a" }));
        const text = pageOf({ ranks: 2, jobs: HOSTILE.length, nameOf: (index) => HOSTILE[index] });
        assert.deepEqual(elementsOf(text), plain);
        assert.ok(text.includes("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
        assert.doesNotMatch(text, /[\u0000\u001b\u202e\ud800]/);
    });

    it("shows each hostile text of Kubernetes and Flux as text", () => {
        const report = collect(makeSource({ ranks: 2, jobs: 2 }));
        const replaced = (text: string, hostile: string) => (/^[\d.]+$/.test(text) ? text : hostile);
        const poison = (value: unknown, hostile: string): unknown => {
            if (typeof value === "string") {
                return replaced(value, hostile);
            }
            return Array.isArray(value)
                ? value.map((each) => poison(each, hostile))
                : typeof value === "object" && value !== null
                  ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, poison(each, hostile)]))
                  : value;
        };
        const texts = (hostile: string): Report => {
            const more = {
                failures: [{ about: hostile, message: hostile, at: 1 }],
                warnings: [{ about: hostile, reason: hostile, message: hostile, count: 1, firstAt: 1, lastAt: 2 }],
                missing: [hostile],
                slowest: hostile,
                cluster: poison(report.cluster, hostile) as Report["cluster"],
                ran: poison({ ...report.ran, command: ["a"] }, hostile) as Report["ran"],
                pods: report.pods.map((pod) => ({ ...pod, name: hostile, node: hostile, state: hostile })),
            };
            return { ...report, ...more };
        };
        const plain = elementsOf(page(texts("a")));
        fc.assert(
            fc.property(
                fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", minLength: 1 })),
                (hostile) => {
                    assert.deepEqual(elementsOf(page(texts(hostile))), plain);
                },
            ),
            { numRuns: 60 },
        );
    });

    it("has the parts, and a table beside each picture", () => {
        const text = pageOf({ ranks: 4, jobs: 20 });
        const titles = [...text.matchAll(/<h([123])[^>]*>([^<]*)</g)].map(([, level, title]) => `${level} ${title}`);
        assert.deepEqual(titles, [
            "1 MiniCluster hpc/lammps",
            "2 Failures",
            "2 What ran",
            "2 Ranks and jobs",
            "3 Ranks and jobs over time",
            "3 Use of cores",
            "3 Jobs in the queue",
            "2 Jobs",
            "3 Jobs from submission to end",
            "2 Ranks",
            "3 From pod to rank",
            "2 Warnings of Kubernetes",
        ]);
        const rows = (caption: string) =>
            text.split(`<caption>${caption}</caption>`)[1].split("</table>")[0].match(/<tr>/g)?.length;
        assert.deepEqual([rows("Jobs"), rows("Pods")], [21, 5]);
    });

    it("says what is missing in a cluster without jobs, pods and Flux", () => {
        const nothing = {
            ...makeSource({ ranks: 2, jobs: 0 }),
            pods: [],
            history: undefined,
            unread: ["Flux' jobs: it has ended."],
        };
        const text = page(collect(nothing));
        assert.match(
            text,
            /<h2 id="missing">Not in this report<\/h2><ul class="list"><li>Flux&#39; jobs: it has ended\.<\/li>/,
        );
        assert.match(text, /Flux&#39; jobs are not known; see “Not in this report”\./);
        assert.match(text, /No pod is known\./);
        assert.match(page(collect(makeSource({ ranks: 2, jobs: 0 }))), /Flux knew no job at 2026-11-26 08:00:/);
    });

    it("shows a cluster that was idle for a long time from its first job to its last change", () => {
        const source = makeSource({ ranks: 2, jobs: 4 });
        const job = {
            ...source.job!,
            metadata: { ...source.job!.metadata, creationTimestamp: new Date(Date.UTC(2026, 9, 1)) },
        };
        const text = page(collect({ ...source, job, now: Date.UTC(2026, 11, 1) }));
        assert.match(text, /seconds since 2026-11-26 08:00/);
        assert.doesNotMatch(text, /days since/);
    });

    it("shows 1,000 ranks and 10,000 jobs in parts, and takes few seconds of CPU", () => {
        const source = makeSource({ ranks: 1000, jobs: 10_000 });
        const before = process.cpuUsage();
        const text = page(collect(source));
        const { system, user } = process.cpuUsage(before);
        const seconds = (system + user) / 1e6;
        assert.ok(seconds < limit(3), `${seconds} s of CPU`);
        assert.ok(text.length < 5e6, `${text.length} characters`);
        assert.match(text, /Each row is 20 ranks\./);
        assert.match(text, /<summary>Jobs: 9,501–10,000 of 10,000<\/summary>/);
        const pictures = text.match(/<svg class="chart"[^]*?<\/svg>/g) ?? [];
        assert.equal(pictures.length, 6);
        assert.ok(pictures.every((picture) => picture.length < 800_000));
    });

    it("tells durations and core time in fitting units", () => {
        const durations = [0.004, 9.99, 10, 59.9, 60, 250, 3600, 12_000, 187_200].map(duration);
        assert.deepEqual(durations, [
            "0.00 s",
            "9.99 s",
            "10.0 s",
            "59.9 s",
            "1 min",
            "4 min 10 s",
            "1 h",
            "3 h 20 min",
            "2 d 4 h",
        ]);
        assert.deepEqual([90, 5400].map(coreTime), ["1.5 core minutes", "1.5 core hours"]);
    });

    it("shows a mark for a character that can't be shown", () => {
        assert.equal(legible("a\u202eb\u0000c\ud800d\te\n😀"), "a\ufffdb\ufffdc\ufffdd\te\n😀");
    });
});
