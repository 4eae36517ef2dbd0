import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { end, useMainProgram } from "../../support/mainProgram";
import { offerOf, putWaiting, serveOffer } from "../../support/waitingCluster";

const FILES = { "out/a": "first", "b c": "" };
const AGAIN = "Raise results.keepFor or give results.volume, and change triggers to run the command again.";
const ended = (exitCode: number, message = "") => ({
    started: false,
    state: { terminated: { exitCode, reason: "", startedAt: new Date(), finishedAt: new Date(), message } },
});

describe("minicluster results", () => {
    const program = useMainProgram();

    beforeEach(() => program.api.remove("pods", "lammps-0-x"));

    async function run(...words: string[]) {
        const { code, stderr, stdout } = await end(program.start("-n", "hpc", "results", ...words));
        return [code, stdout, stderr] as const;
    }
    const here = (path = "") => join(program.folder, "new/lammps", path);
    const files = () => readdirSync(here(), { recursive: true, encoding: "utf8" }).sort();
    const wait = (...of: Parameters<typeof offerOf>) => putWaiting(program.api, `done\n${offerOf(...of).line}`);

    it("fetches the results, tells the lead, and says what isn't there", async () => {
        wait(FILES, { reasons: ["nothing matches *.h5"] });
        const lead = serveOffer(program.api, program.folder, FILES);
        assert.deepEqual(await run("lammps", "--to", here()), [
            0,
            `2 files, 5 bytes: ${here()}\n`,
            "minicluster: not complete: nothing matches *.h5\n",
        ]);
        assert.deepEqual(files(), ["b c", "out", "out/a"]);
        assert.equal(lead.isTold, true);
    });

    it("replaces a folder that exists as a whole, and prints JSON", async () => {
        mkdirSync(here(), { recursive: true });
        writeFileSync(here("older"), "");
        wait(FILES);
        serveOffer(program.api, program.folder, FILES);
        const [code, stdout, stderr] = await run("lammps", "--to", here(), "--json");
        assert.deepEqual([code, stderr], [0, ""]);
        assert.deepEqual(JSON.parse(stdout), { target: here(), count: 2, bytes: 5, reasons: [] });
        assert.deepEqual(files(), ["b c", "out", "out/a"]);
    });

    it("keeps the folder, and doesn't tell the lead, if another file has come", async () => {
        mkdirSync(here(), { recursive: true });
        writeFileSync(here("older"), "");
        wait({ ...FILES, "out/a": "other" });
        const lead = serveOffer(program.api, program.folder, FILES);
        const [code, , stderr] = await run("lammps", "--to", here());
        assert.equal(code, 1);
        assert.match(stderr, /^minicluster: the list of the results has come with another checksum/);
        assert.deepEqual([files(), lead.isTold], [["older"], false]);
    });

    it("refuses a file, and a folder that holds the current one, which it would replace", async () => {
        wait(FILES);
        writeFileSync(join(program.folder, "file"), "kept");
        for (const [to, why] of [
            [".", 'is ".", which would be replaced, with the current folder. Name a folder of its own.'],
            ["..", 'is "..", which would be replaced, with the current folder. Name a folder of its own.'],
            [join(program.folder, "file"), `is "${join(program.folder, "file")}", which is a file. Name a folder.`],
        ]) {
            const [code, , stderr] = await run("lammps", "--to", to);
            assert.deepEqual([code, stderr.split("\n")[0]], [2, `minicluster: --to ${why}`]);
        }
        assert.equal(readFileSync(join(program.folder, "file"), "utf8"), "kept");
    });

    const line = offerOf(FILES).line;
    for (const [what, log, flux, why] of [
        [
            "the command still runs",
            "step 1\n",
            undefined,
            "the command has not ended yet. Its results are there when it has.",
        ],
        [
            "another client has fetched them",
            line,
            ended(0, "minicluster.results=fetched"),
            "the results have been fetched already (2 files).",
        ],
        [
            "nobody has fetched them",
            line,
            ended(0, "minicluster.results=unfetched"),
            `nobody has fetched the results (2 files) while the lead's pod waited, so they are lost. ${AGAIN}`,
        ],
        [
            "they are lost",
            offerOf(FILES, { state: "lost" }).line,
            ended(0, "minicluster.results=lost"),
            "the results are lost, and the lead's log says why.",
        ],
        [
            "the command has failed",
            "",
            ended(3),
            "the command has failed with exit code 3, so nothing was kept. Give results.onFailure.",
        ],
        ["the lead has said nothing", "", ended(0), `the lead has ended without results. ${AGAIN}`],
    ] as const) {
        it(`ends with 1 if ${what}, and says so`, async () => {
            putWaiting(program.api, log, {}, flux);
            assert.deepEqual(await run("lammps"), [1, "", `minicluster: lammps: ${why}\n`]);
        });
    }

    it("ends with 1 if there is no pod, no cluster of the name, and no argument results", async () => {
        wait(FILES);
        program.api.remove("pods", "lammps-0-x");
        const lost = `the lead's pod, which had the results, doesn't exist any more, so they are lost. ${AGAIN}`;
        assert.deepEqual(await run("lammps"), [1, "", `minicluster: lammps: ${lost}\n`]);
        const [code, , stderr] = await run("namd");
        assert.equal(code, 1);
        assert.match(stderr, /^minicluster: There is no MiniCluster namd in the namespace hpc of the cluster at /);
        program.prepare();
        const none =
            "MiniCluster hpc/lammps has no argument results. npx flux-minicluster cp copies files of a cluster that runs, or " +
            "of its volumes. The results of a FluxJob need the job's id.";
        assert.deepEqual(await run("lammps"), [1, "", `minicluster: ${none}\n`]);
    });

    it("is told of by list and status, until when and how", async () => {
        wait(FILES);
        const until = "2025-11-30T00:00:00Z";
        const told = { count: 2, bytes: 5, until };
        const [list, json, status, statusJson] = await Promise.all(
            [["list"], ["list", "--json"], ["status", "lammps"], ["status", "lammps", "--json"]].map((words) =>
                end(program.start("-n", "hpc", ...words)),
            ),
        );
        assert.match(list.stdout, /^lammps {2}ready, results wait {2}4\/4 /m);
        assert.deepEqual(JSON.parse(json.stdout)[0].results, told);
        const how = `npx flux-minicluster results lammps -n hpc fetches them until ${until}`;
        assert.match(status.stdout, new RegExp(`^results: 2 files, 5 bytes; ${how}$`, "m"));
        assert.deepEqual(JSON.parse(statusJson.stdout).results, told);
    });

    it("isn't told of by list without the right to look", async () => {
        wait(FILES);
        program.api.fail(/pods/, 403, { times: 9 });
        const { code, stdout } = await end(program.start("-n", "hpc", "list", "--json"));
        const [{ phase, results }] = JSON.parse(stdout);
        assert.deepEqual([code, phase, results], [0, "ready", undefined]);
    });
});
