import type { FluxSubmissionInputs, FluxSubmissionOutputs } from "../../../provider/fluxSubmission/properties";

export function makeSubmission(overrides: Partial<FluxSubmissionInputs> = {}): FluxSubmissionInputs {
    return {
        cluster: { name: "lammps", namespace: "hpc", uid: "job-uid" },
        nonce: "n0123456789abcdef",
        key: "a key that only the state has",
        jobName: "solve",
        command: ["hostname"],
        wait: true,
        rerunFailed: true,
        interrupt: "refuse",
        timeouts: { ready: 300 },
        maxBytes: 16384,
        ...overrides,
    };
}

export function makeSubmitted(overrides: Partial<FluxSubmissionOutputs> = {}): FluxSubmissionOutputs {
    return {
        ...makeSubmission(),
        jobId: "f26Zqx",
        clusterUid: "job-uid",
        lead: { uid: "service-uid" },
        phase: "succeeded",
        exitCode: 0,
        output: "",
        schemaVersion: 1,
        ...overrides,
    };
}
