import * as pulumi from "@pulumi/pulumi";
import { FluxJob } from "flux-minicluster";

import { ChangingCluster } from "../changing";
import type { TestNamespace } from "../namespace";
import { Loader } from "./load";
import { type EarlierState, STATES } from "./states";
import { certificateOf } from "./values";

/** A cluster of an earlier release, with the same arguments, in a stack of the present package. */
export class EarlierCluster extends ChangingCluster {
    private readonly state: EarlierState;

    constructor(
        namespace: TestNamespace,
        name: string,
        private readonly keys: ReadonlyMap<string, string>,
    ) {
        const state = STATES[name];
        const own = state.certificate === undefined ? {} : { certificate: pulumi.secret(certificateOf(keys)) };
        super(namespace, name, { ...state.args, ...own });
        this.state = state;
    }

    /** Makes the objects and the state of a release. Returns the UID of the Job. */
    async load(release: string): Promise<string | undefined> {
        const job = await new Loader(this.namespace, release, this.name, this.keys).load(this.stack);
        return job.metadata?.uid;
    }

    protected override program() {
        const made = super.program();
        const { job } = this.state;
        return job === undefined
            ? made
            : { ...made, job: new FluxJob(`${this.name}-task`, { cluster: made.cluster, ...job }) };
    }
}
