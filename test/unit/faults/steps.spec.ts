import assert from "node:assert/strict";

import { describeStep, selectorOf, stepsOf } from "../../faults/support/steps";

const NAMESPACE = "/apis/batch/v1/namespaces/e2e-abc";

const request = (method: string, path: string) => ({ method, path: `${NAMESPACE}/${path}` });

describe("the steps of an operation", () => {
    const requests = [
        request("GET", "jobs/one"),
        request("PATCH", "services/one-lead?fieldManager=pulumi"),
        request("PATCH", "configmaps/one-config-0a1b2c3d?dryRun=All"),
        request("PATCH", "configmaps/one-config-0a1b2c3d"),
        request("GET", "pods?watch=true"),
        request("GET", "pods?watch=true&resourceVersion=2"),
        request("GET", "pods/one-0-a1b2c/exec?command=bash"),
        request("GET", "pods/one-0-a1b2c/exec?command=bash"),
    ];
    const steps = stepsOf(requests, "one");

    it("lie before and after each request that changes something, and in each wait", () => {
        assert.deepEqual(steps.map(describeStep), [
            "before `PATCH services/NAME-lead`",
            "after `PATCH services/NAME-lead`",
            "before `PATCH configmaps/NAME-config-HASH`",
            "after `PATCH configmaps/NAME-config-HASH`",
            "in `WATCH pods`",
            "before `EXEC pods/NAME-0/exec`",
            "after `EXEC pods/NAME-0/exec`",
            "before `EXEC pods/NAME-0/exec` (2)",
            "after `EXEC pods/NAME-0/exec` (2)",
        ]);
    });

    it("name the Service that a POST creates, because the two Services are created in any order", () => {
        const posts = [
            { ...request("POST", "services?fieldManager=pulumi"), created: "one-lead" },
            { ...request("POST", "services"), created: "one" },
            { ...request("POST", "jobs"), created: "one" },
        ];
        assert.deepEqual(
            stepsOf(posts, "one")
                .filter(({ point }) => point === "answer")
                .map(describeStep),
            ["after `POST services/NAME-lead`", "after `POST services/NAME`", "after `POST jobs`"],
        );
        const selects = selectorOf({ action: "POST", place: "services/NAME", occurrence: 1, point: "answer" }, "one");
        assert.deepEqual(posts.map(selects), [false, true, false]);
    });

    it("match the same requests in an operation on another cluster", () => {
        const others = requests.map(({ method, path }) => ({
            method,
            path: path.replace("one", "two").replace("0a1b2c3d", "12345678"),
        }));
        const met = steps.map((step) => {
            const selects = selectorOf(step, "two");
            return others.findIndex((each) => selects(each));
        });
        assert.deepEqual(met, [1, 1, 3, 3, 4, 6, 6, 7, 7]);
    });
});
