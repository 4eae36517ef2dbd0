import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeCrate } from "../../../../cli/report/crate/folder";
import { metadataOf } from "../../../../cli/report/crate/metadata";
import { report } from "../../../../cli/report/definition";
import type { RecordedOutputs } from "../../../../cli/target/stack";
import { makeRecord } from "../../support/runs";

const sumOf = (text: string) => createHash("sha256").update(text).digest("hex");
const LICENSE = "https://spdx.org/licenses/CC-BY-4.0";
const given = {
    license: LICENSE,
    author: "Ada Lovelace <https://orcid.org/0000-0000-0000-0001>",
    organization: "Analytical Society",
};
const DIGEST = "5e".repeat(32);
const uid = "0f6b2a34-1111-2222-3333-444455556666";
const record = makeRecord({
    uid,
    image: "registry.example:5000/md/lammps:2",
    digests: [{ image: `registry.example:5000/md/lammps@sha256:${DIGEST}`, ranks: "0-1" }],
    command: ["lmp", "-in", "a b"],
    code: "c0de",
    environment: ["MASS"],
    startedAt: "2026-11-26T08:00:01.000Z",
    endedAt: "2026-11-26T08:01:00.000Z",
    output: { bytes: 6, sha256: sumOf("hello\n") },
});
const FILES = [{ path: "output.txt", bytes: 6, sha256: sumOf("hello\n"), type: "text/plain" }];

type Entity = Record<string, any>;

function graphOf(...args: Parameters<typeof metadataOf>): { graph: Entity[]; of: (id: string) => Entity; run: Entity } {
    const graph = (metadataOf(...args) as { "@graph": Entity[] })["@graph"];
    const of = (id: string) => graph.find((entity) => entity["@id"] === id)!;
    return { graph, of, run: of(`urn:uuid:${uid}`) };
}

describe("the metadata of a crate", () => {
    const { graph, of, run } = graphOf(record, FILES, given);

    it("takes its facts from options of the command line", () => {
        const options = (report.options ?? []).map(({ name }) => name);
        assert.deepEqual(
            Object.keys(given).filter((name) => !options.includes(name)),
            [],
        );
    });

    it("describes a Process Run Crate, with the license and the author that the user gives", () => {
        assert.deepEqual(of("ro-crate-metadata.json"), {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            conformsTo: { "@id": "https://w3id.org/ro/crate/1.1" },
            about: { "@id": "./" },
        });
        const { "@type": type, author, conformsTo, datePublished, description, license, mentions, name } = of("./");
        assert.deepEqual([type, name], ["Dataset", "Run of lammps"]);
        assert.equal(description, "A run of lammps in Kubernetes: lmp -in 'a b'");
        assert.deepEqual(
            [conformsTo, license],
            [{ "@id": "https://w3id.org/ro/wfrun/process/0.5" }, { "@id": LICENSE }],
        );
        assert.deepEqual([mentions, datePublished], [{ "@id": `urn:uuid:${uid}` }, "2026-11-26T08:01:00.000+00:00"]);
        assert.deepEqual(of(author["@id"]), {
            "@id": "https://orcid.org/0000-0000-0000-0001",
            "@type": "Person",
            name: "Ada Lovelace",
            url: "https://orcid.org/0000-0000-0000-0001",
            affiliation: { "@id": "#organization" },
        });
        assert.deepEqual(of(of("./").publisher["@id"]), {
            "@id": "#organization",
            "@type": "Organization",
            name: "Analytical Society",
        });
    });

    it("has the run as an action with its times with offsets, its status as a text, and its parts", () => {
        assert.equal(run["@type"], "CreateAction");
        assert.deepEqual(
            [run.startTime, run.endTime],
            ["2026-11-26T08:00:01.000+00:00", "2026-11-26T08:01:00.000+00:00"],
        );
        assert.equal(run.actionStatus, "http://schema.org/CompletedActionStatus");
        assert.deepEqual([run.agent, run.result], [{ "@id": of("./").author["@id"] }, { "@id": "output.txt" }]);
        assert.equal(of(run.object["@id"]).value, "c0de");
        assert.deepEqual(
            [of(run.environment["@id"]).name, of(run.environment["@id"])["@type"]],
            ["MASS", "PropertyValue"],
        );
        assert.equal(run.error, undefined);
    });

    it("has the image as the tool and as the container image", () => {
        const tool = of(run.instrument["@id"]);
        assert.equal(tool["@id"], "https://registry.example:5000/md/lammps:2");
        assert.deepEqual([tool["@type"], tool.softwareVersion], ["SoftwareApplication", DIGEST]);
        const { "@type": type, name, registry, sha256, tag } = of(run.containerImage["@id"]);
        assert.deepEqual(
            [type, registry, name, tag, sha256],
            ["ContainerImage", "registry.example:5000", "md/lammps", "2", DIGEST],
        );
    });

    it("takes Docker's registry for an image without one, and two digests for two images", () => {
        const digests = ["a", "b"].map((letter) => ({ image: `x@sha256:${letter.repeat(64)}`, ranks: "0" }));
        const other = graphOf({ ...record, image: "fluxrm/flux-core", digests }, FILES, given);
        const images = other.run.containerImage.map((each: Entity) => other.of(each["@id"]));
        assert.deepEqual(
            images.map(({ name, registry, tag }: Entity) => [registry, name, tag]),
            [0, 1].map(() => ["docker.io", "fluxrm/flux-core", undefined]),
        );
    });

    it("says why a run has failed", () => {
        const failures = [{ about: "Cluster", message: "The command ended with exit code 3." }];
        const failed = graphOf({ ...record, phase: "failed", failures }, FILES, given).run;
        assert.deepEqual(
            [failed.actionStatus, failed.error],
            ["http://schema.org/FailedActionStatus", "The command ended with exit code 3."],
        );
    });

    it("has no list of one, no reference without its entity, and no entity twice", () => {
        const isThere = new Set(graph.map((entity) => entity["@id"]));
        assert.equal(isThere.size, graph.length);
        const outside = ["https://w3id.org/ro/crate/1.1", "https://w3id.org/ro/terms/workflow-run#DockerImage"];
        for (const value of graph.flatMap((entity) => Object.values(entity))) {
            assert.ok(!Array.isArray(value) || value.length > 1, JSON.stringify(value));
            const ids = [value].flat().flatMap((each) => (typeof each === "object" ? [each["@id"]] : []));
            assert.deepEqual(
                ids.filter((id) => !isThere.has(id) && !outside.includes(id)),
                [],
            );
        }
    });
});

describe("the folder of a crate", () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "crate-"))));
    afterEach(() => rmSync(folder, { recursive: true }));

    const outputsOf = (more: Partial<RecordedOutputs> = {}): RecordedOutputs => ({
        record,
        output: "hello\n",
        ...more,
    });
    const crate = () => join(folder, "new/crate");
    const filesIn = () =>
        readdirSync(crate(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = () =>
        filesIn()
            .map(({ name }) => name)
            .sort();

    it("has the record, the output and the results whose hashes are the recorded ones", async () => {
        const at = join(folder, "kept");
        mkdirSync(join(at, "a b"), { recursive: true });
        writeFileSync(join(at, "a b/right"), "one");
        writeFileSync(join(at, "wrong"), "two");
        const files = [
            { path: "a b/right", bytes: 3, sha256: sumOf("one") },
            { path: "wrong", bytes: 3, sha256: sumOf("other") },
        ];
        const results = { at, files, count: 2, bytes: 6, complete: true };
        const { missing } = await writeCrate(crate(), outputsOf({ results }), given);
        assert.deepEqual(names(), ["output.txt", "record.json", "right", "ro-crate-metadata.json"]);
        assert.deepEqual(missing, [
            `1 file of the results: they are not in ${at} of this folder with the recorded SHA-256`,
        ]);
        assert.deepEqual(
            JSON.parse(readFileSync(join(crate(), "record.json"), "utf8")),
            JSON.parse(JSON.stringify(record)),
        );
        const graph = JSON.parse(readFileSync(join(crate(), "ro-crate-metadata.json"), "utf8"))["@graph"] as Entity[];
        const described = graph.filter((entity) => entity["@type"] === "File");
        assert.deepEqual(
            described.map((file) => file["@id"]),
            ["output.txt", "record.json", "results/a%20b/right"],
        );
        for (const { "@id": id, contentSize, sha256 } of described) {
            const text = readFileSync(join(crate(), decodeURIComponent(id)), "utf8");
            assert.deepEqual([contentSize, sha256], [String(text.length), sumOf(text)]);
        }
    });

    it("leaves out an output that is a secret, and says so", async () => {
        const { missing } = await writeCrate(crate(), outputsOf({ output: "[secret]" }), given);
        assert.deepEqual(names(), ["record.json", "ro-crate-metadata.json"]);
        assert.deepEqual(missing, ["output.txt: the output is a secret, or was not kept"]);
    });

    it("is refused if it exists, or without a record", async () => {
        await assert.rejects(
            writeCrate(folder, outputsOf(), given),
            /--crate is ".*", which can't be made: .* Name a new folder/,
        );
        await assert.rejects(
            writeCrate(crate(), { phase: "ready", record: null }, given),
            /needs the record of a run that has ended/,
        );
    });
});
