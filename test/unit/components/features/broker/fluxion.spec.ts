import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { noticeRefusals } from "../../../../../components/features/broker/fluxion";
import { makeSpec } from "../../../support/spec";

const notices = (broker: PlainArgs["broker"], more: Partial<PlainArgs> = {}) =>
    noticeRefusals(
        makeSpec({ command: [], elastic: {}, maxSize: 4, resources: { limits: { cpu: "1" } }, broker, ...more }),
    );
const policy = (text: string) => ({ scheduler: "fluxion", extraConfig: `[sched-fluxion-qmanager]\n${text}` });

describe("noticeRefusals", () => {
    it("warns of the policy by which Fluxion refuses jobs that need more ranks", () => {
        const reason =
            'is "fluxion" with the policy "fcfs", by which Fluxion refuses a job that needs more ranks than are up, so that ' +
            'elastic can\'t add them. Set queue-policy = "easy" in [sched-fluxion-qmanager] of broker.extraConfig.';
        const expected = [{ property: "broker.scheduler", reason }];
        assert.deepEqual(notices(policy('queue-policy = "fcfs"')), expected);
    });

    it("warns of nothing else", () => {
        assert.deepEqual(notices({ scheduler: "fluxion" }), []);
        assert.deepEqual(notices(policy("queue-params = {}")), []);
        assert.deepEqual(notices(policy('queue-policy = "easy"')), []);
        assert.deepEqual(notices(policy('queue-policy-per-queue = "a:easy"')), []);
        assert.deepEqual(notices({ scheduler: "sched-simple" }), []);
        assert.deepEqual(notices({ scheduler: "fluxion" }, { elastic: undefined }), []);
    });
});
