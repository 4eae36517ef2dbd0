import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { connect, type Kube, retry } from "../../../../provider/kubernetes/client";
import { execute } from "../../../../provider/kubernetes/streams/exec";
import { ifThere, isTransient, sentence } from "../../../../provider/kubernetes/failures/failure";
import { followAddress } from "../../../../provider/kubernetes/kubeconfig/newAddress";
import { readLog } from "../../../../provider/kubernetes/streams/podLog";
import { watchList } from "../../../../provider/kubernetes/watch";
import { soon } from "../../../e2e/support/until";
import { useApi } from "../../support/fakeApi";
import type { KubeObject } from "../../support/fakeApiRules";
import { endOf, printed } from "../../support/fakeExec";
import { KINDS, makeCertificates } from "../../support/kindsBetween";

const PAGE = readFileSync(join(__dirname, "../../../../docs/kubeconfigs.md"), "utf8");
/** The rows of the page's table: what lies between, and what happens. */
const ROWS = new Map(
    PAGE.split("### What may lie between")[1]
        .split("\n#")[0]
        .split("\n")
        .flatMap((line) => {
            const [, name, result] = /^\| (.*?) \| (.*) \|$/.exec(line) ?? [];
            return name === undefined || name === "between" ? [] : [[name, result] as const];
        }),
);

const container = { namespace: "hpc", pod: "lammps-0", container: "flux" };

interface Go {
    readonly kube: Kube;
    readonly isPatient: boolean;
    /** Creates the Job that the watch waits for. */
    readonly create: () => void;
    /** Looks for another address of the API server. */
    readonly follow: () => void;
}

/** Reads the list of Jobs and sees one that is created later. Without `isPatient`, fails if there is no list. */
async function watch({ create, follow, isPatient, kube }: Go): Promise<string> {
    const stop = new AbortController();
    let failure: unknown;
    const look = ({ metadata }: KubeObject) => (metadata.name === "late" ? stop.abort() : undefined);
    let isListed = false;
    await watchList<any>(
        kube,
        { kind: "jobs", namespace: "hpc" },
        {
            present: look,
            gone: () => undefined,
            listed: (jobs) => {
                jobs.forEach(look);
                if (!isListed) {
                    isListed = true;
                    create();
                }
            },
            reachable: (error) => {
                if (error !== undefined && isPatient) {
                    follow();
                } else if (error !== undefined) {
                    failure = error;
                    stop.abort();
                }
            },
        },
        stop.signal,
    );
    if (failure !== undefined) {
        await Promise.reject(failure);
    }
    return "seen";
}

const ways: Record<string, (go: Go) => Promise<string | undefined>> = {
    "an object": async ({ kube }) => (await ifThere(kube.getService("hpc", "lead")))?.metadata?.uid,
    "a second object": async ({ kube }) => (await ifThere(kube.getService("hpc", "lead")))?.metadata?.uid,
    "a watch": watch,
    "a log": ({ kube }) => retry(() => text(readLog(kube, container, {}, kube.patience)), kube.patience.tries),
    "a command": async ({ kube }) => {
        const { signal } = new AbortController();
        const run = () => execute(kube, container, { command: ["id"], input: "", seconds: 9, signal });
        return (await retry(run, kube.patience.tries)).stdout;
    },
};
const RESULTS: Record<string, string> = {
    "an object": "service-uid",
    "a second object": "service-uid",
    "a watch": "seen",
    "a log": "printed",
    "a command": "out",
};

/** The words that a row quotes, of which `...` stands for any others. */
function quotesOf(result: string): RegExp[] {
    const quotes = result.split("`").filter((words, index) => index % 2 === 1 && words.includes(" "));
    const escaped = (words: string) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return quotes.map((words) => new RegExp(words.split("...").map(escaped).join(".*"), "s"));
}

describe("What lies between a client and the API server", () => {
    const api = useApi((it) => {
        it.put("services", { metadata: { name: "lead", uid: "service-uid" } });
        it.logs.set("lammps-0", "printed");
        it.serveCommands((socket) => {
            socket.send(printed(1, "out"));
            socket.send(endOf(0));
        });
    });

    before(makeCertificates);

    it("has a row in docs/kubeconfigs.md for each kind, and no other row", () => {
        assert.deepEqual([...ROWS.keys()].sort(), Object.keys(KINDS).sort());
        assert.ok(ROWS.size >= 20);
    });

    for (const [name, { cluster, cuts = 0, moves = false, seconds = 5, start }] of Object.entries(KINDS)) {
        const result = ROWS.get(name) ?? "no row";
        const works = result.startsWith("works");
        it(`is ${name}: ${result.split(/[:,.]/)[0]}`, async () => {
            const target = new URL(JSON.parse(api.kubeconfig).clusters[0].cluster.server).port;
            let between = await start(Number(target));
            const place = () => cluster?.(between.port) ?? { server: `http://127.0.0.1:${between.port}` };
            const folder = mkdtempSync(join(tmpdir(), "between-"));
            const file = join(folder, "kubeconfig");
            const access = { kubeconfig: moves ? file : kubeconfigOf(place()) };
            const move = async () => {
                const before = between;
                between = await start(Number(target));
                writeFileSync(file, kubeconfigOf(place()));
                before.close();
            };
            const create = () => {
                const from = between.passed();
                const isCut = moves ? move() : soon("connections are cut", () => between.passed() >= from + cuts);
                void isCut.then(() => api.put("jobs", { metadata: { name: "late" } }));
            };
            try {
                for (const [way, go] of Object.entries(ways)) {
                    await (moves ? move() : undefined);
                    const kube = connect(access, { seconds, tries: works ? 4 : 2 });
                    const follow = () => void followAddress(kube, access, hasLead);
                    const ended = await go({ kube, create, follow, isPatient: works }).catch((failure: unknown) => ({
                        failure,
                    }));
                    judge(way, result, ended);
                    assert.ok(!works || between.passed() > 0, way);
                }
            } finally {
                between.close();
                rmSync(folder, { recursive: true });
            }
        });
    }
});

async function hasLead(kube: Kube): Promise<boolean> {
    return (await ifThere(kube.getService("hpc", "lead")))?.metadata?.uid === "service-uid";
}

function kubeconfigOf(cluster: object): string {
    return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        "current-context": "c",
        users: [{ name: "u", user: {} }],
    });
}

type Ended = string | undefined | { readonly failure: unknown };

/** Compares how a way has ended with the row of the table. */
function judge(way: string, result: string, ended: Ended): void {
    const quotes = quotesOf(result);
    const mayFail = !result.startsWith("works") || (way === "a command" && quotes.length > 0);
    if (!mayFail) {
        assert.equal(typeof ended === "object" ? sentence(ended.failure) : ended, RESULTS[way], way);
        return;
    }
    const words = typeof ended === "object" ? sentence(ended.failure) : "no failure";
    assert.doesNotMatch(words, /<html|<!DOCTYPE|<title/, way);
    if (way === "an object" && typeof ended === "object") {
        assert.equal(isTransient(ended.failure), result.startsWith("repeated"), words);
    }
    // Of some rows, the table says that a log can't be told from one of the API server.
    if (way !== "a log" || !/\ba log\b/.test(result)) {
        assert.ok(
            quotes.some((quote) => quote.test(words)),
            `${way}: ${words}`,
        );
    }
}
