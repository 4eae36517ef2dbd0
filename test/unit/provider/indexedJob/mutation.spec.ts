import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { putLeadService, useApi } from "../../support/fakeApi";
import { makeInputs } from "../../support/jobs";

const HALF = { limits: { cpu: "500m" } };

describe("the creation of a Job that a webhook changes", () => {
    const { log } = console;
    const api = useApi(putLeadService);
    let said: string[];

    beforeEach(() => {
        said = [];
        // Without an engine, warnings go to standard output.
        console.log = (line: string) => said.push(line);
    });
    afterEach(() => {
        console.log = log;
    });

    const create = (args: Partial<PlainArgs>, change: (podSpec: any) => void) => {
        api.admit = (object) => object.kind === "Job" && change(object.spec.template.spec);
        return indexedJob.create(makeInputs(args, { kubeconfig: api.kubeconfig }));
    };

    const rows: [string, (podSpec: any) => void, RegExp][] = [
        [
            "image",
            (spec) => (spec.containers[0].image = "mirror.example/lammps:1"),
            /changed image of the container flux from \S+ to mirror\.example\/lammps:1$/,
        ],
        ["limits", (spec) => (spec.containers[0].resources = HALF), /gave limits\.cpu 500m to the container flux$/],
        [
            "containers",
            (spec) => spec.containers.push({ name: "mesh" }),
            /added the container mesh, and the pod ends only/,
        ],
    ];
    for (const [what, change, expected] of rows) {
        it(`tells the changed ${what}`, async () => {
            await create({}, change);
            assert.equal(said.length, 1, said.join("\n"));
            assert(said[0].startsWith("lammps: admission has changed the Job: an admission webhook "), said[0]);
            assert.match(said[0], expected);
        });
    }

    it("says nothing of an amount that is only written in another way", async () => {
        await create({ resources: { limits: { cpu: "0.5" } } }, (spec) => (spec.containers[0].resources = HALF));
        assert.deepEqual(said, []);
    });
});
