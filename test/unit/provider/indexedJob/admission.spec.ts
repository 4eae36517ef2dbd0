import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import type { PlainArgs } from "../../../../components/args";
import { admittedAfter, admittedOf } from "../../../../provider/indexedJob/admission";
import { liveManifest } from "../../../../provider/indexedJob/drift";
import { jobPatch } from "../../../../provider/indexedJob/patch";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { makeInputs, makeLive, makeOutputs } from "../../support/jobs";

const podSpec = (job: any) => job.spec.template.spec;

/** The Job after a change to it. */
function changed(change: (job: any) => void, args: Partial<PlainArgs> = {}): V1Job {
    const job = makeLive(makeInputs(args));
    change(job);
    return job;
}

describe("an admission webhook", () => {
    const webhooks: [string, (job: any) => void][] = [
        ["rewrites images", (job) => (podSpec(job).containers[0].image = "mirror.example/lammps:1")],
        [
            "sets resources",
            (job) => (podSpec(job).containers[0].resources = { limits: { cpu: "500m" }, requests: { cpu: "500m" } }),
        ],
        ["adds a container", (job) => podSpec(job).containers.push({ name: "mesh", image: "mesh:1" })],
        ["adds a variable", (job) => podSpec(job).containers[0].env.push({ name: "PROXY", value: "http://proxy" })],
        ["changes a label of the Job", (job) => (job.metadata.labels["app.kubernetes.io/name"] = "theirs")],
        ["removes a field", (job) => delete podSpec(job).terminationGracePeriodSeconds],
    ];
    const args = { resources: { limits: { cpu: "1" }, requests: { cpu: "1" } } };
    for (const [what, mutate] of webhooks) {
        it(`causes no drift if it ${what}`, () => {
            const { manifest } = makeInputs(args);
            const admitted = admittedOf(manifest, changed(mutate, args));
            assert.deepEqual(liveManifest(manifest, changed(mutate, args), admitted), manifest);
        });

        it(`doesn't hide later changes of another client if it ${what}`, () => {
            const { manifest } = makeInputs(args);
            const admitted = admittedOf(manifest, changed(mutate, args));
            const live = changed((job) => {
                mutate(job);
                podSpec(job).containers[0].image = "hacked";
                job.metadata.labels["app.kubernetes.io/name"] = "hacked";
                job.spec.parallelism = 9;
            }, args);
            const seen = liveManifest(manifest, live, admitted);
            assert.equal(podSpec(seen).containers[0].image, "hacked");
            assert.equal(seen.metadata.labels["app.kubernetes.io/name"], "hacked");
            assert.equal(seen.spec.parallelism, 9);
        });
    }

    const image = (job: any) => (podSpec(job).containers[0].image = "mirror.example/lammps:1");

    it("causes no drift after another client's change that was taken back", () => {
        const { manifest } = makeInputs();
        const admitted = admittedOf(manifest, changed(image));
        const drifted = liveManifest(
            manifest,
            changed((job) => (podSpec(job).containers[0].image = "hacked")),
            admitted,
        );
        assert.deepEqual(liveManifest(drifted, changed(image), admitted), manifest);
    });

    it("leaves no record if it changes nothing, even if Kubernetes adds its defaults", () => {
        const { manifest } = makeInputs();
        assert.equal(
            admittedOf(
                manifest,
                changed((job) => (podSpec(job).schedulerName = "default-scheduler")),
            ),
            undefined,
        );
    });

    it("shows as drift without a record of it", () => {
        const { manifest } = makeInputs();
        assert.equal(podSpec(liveManifest(manifest, changed(image))).containers[0].image, "mirror.example/lammps:1");
    });

    it("causes no drift in a field that the Kubernetes client doesn't know", () => {
        const { manifest } = makeInputs({ podTemplate: { spec: { fieldOfTomorrow: "on" } } });
        const answer = makeLive(makeInputs());
        assert.deepEqual(liveManifest(manifest, answer, admittedOf(manifest, answer)), manifest);
    });

    describe("at a patch", () => {
        const label = (job: any) => (job.metadata.labels["app.kubernetes.io/name"] = "theirs");
        const before = makeOutputs({}, { admitted: admittedOf(makeInputs().manifest, changed(image)) });
        const patchOf = (news: IndexedJobInputs, live: V1Job) => jobPatch(before.manifest, news, live);

        it("is recorded again for fields that a patch can change", () => {
            const news = makeInputs({ suspend: true });
            const answer = changed((job) => [image(job), label(job)], { suspend: true });
            const admitted = admittedAfter(before, news, patchOf(news, changed(label)), answer);
            assert.deepEqual(liveManifest(news.manifest, answer, admitted), news.manifest);
        });

        it("doesn't hide drift in fields that a patch can't change", () => {
            const news = makeInputs({ suspend: true });
            const answer = changed((job) => (podSpec(job).containers[0].image = "hacked"), { suspend: true });
            const seen = liveManifest(
                news.manifest,
                answer,
                admittedAfter(before, news, patchOf(news, makeLive(makeInputs())), answer),
            );
            assert.equal(podSpec(seen).containers[0].image, "hacked");
        });

        it("isn't confused with another client's change in the meantime", () => {
            const news = makeInputs({ suspend: true });
            const answer = changed((job) => [image(job), (job.spec.parallelism = 1)], { suspend: true });
            const admitted = admittedAfter(before, news, patchOf(news, changed(image)), answer);
            assert.deepEqual(admitted, before.admitted);
            assert.equal(liveManifest(news.manifest, answer, admitted).spec.parallelism, 1);
        });

        it("keeps its record if nothing was patched", () => {
            assert.deepEqual(admittedAfter(before, makeInputs(), undefined, undefined), before.admitted);
        });
    });
});
