import type { IndexedJobInputs } from "../../../provider/indexedJob/properties";
import { leadSelector } from "../../../provider/contract/labels";
import type { FakeApi } from "./fakeApi";
import { makeLive, makeLiveFiles } from "./jobs";

/** A lead whose broker has started. */
export const STARTED = { started: true, state: { running: {} } };

/** Puts the Job of these inputs there, with four pods, and the pod of its lead. Returns the Job's id. */
export function putCluster(api: FakeApi, inputs: IndexedJobInputs, flux: object = STARTED): string {
    const status = { active: 4, ready: 4, startTime: new Date(Date.now() - 86_400_000).toISOString() };
    api.put("configmaps", makeLiveFiles(inputs));
    const { metadata } = api.put("jobs", { ...(makeLive(inputs, status as any) as any), kind: "Job" });
    api.put("pods", {
        metadata: { name: "lammps-0-x", labels: leadSelector("lammps"), ownerReferences: [{ uid: metadata.uid }] },
        status: {
            phase: "Running",
            conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }],
            containerStatuses: [{ name: "flux", ...flux }],
        },
    });
    return `hpc/lammps/${metadata.uid}`;
}
