import * as pulumi from "@pulumi/pulumi";
import { FluxJob } from "flux-minicluster";

import { ChangingCluster } from "../changing";
import type { StateResource } from "../checkpoint";
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
    load(release: string): Promise<string> {
        return new Loader(this.namespace, release, this.name, this.keys).load(this.stack);
    }

    /** Removes children from the state, as if the update that creates them were interrupted. */
    async forget(...parts: readonly string[]): Promise<void> {
        const opened = await this.stack.open();
        const { deployment, version } = await opened.exportStack();
        const resources = (deployment.resources as StateResource[]).filter(
            ({ urn }) => !parts.some((part) => urn.endsWith(`::${this.name}-${part}`)),
        );
        await opened.importStack({ version, deployment: { ...deployment, resources } });
    }

    protected override program() {
        const made = super.program();
        const { job } = this.state;
        return job === undefined
            ? made
            : { ...made, job: new FluxJob(`${this.name}-task`, { cluster: made.cluster, ...job }) };
    }
}
