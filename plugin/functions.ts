import type { Json } from "../provider/contract/object";
import { type InvokeRequest, InvokeResponse } from "./server/grpcNode";
import { read } from "./server/properties";
import { getMiniCluster, type GetMiniClusterArgs } from "./getMiniCluster";

type Call = (inputs: Record<string, Json>) => Promise<Json>;

const FUNCTIONS: Readonly<Record<string, Call | undefined>> = {
    "flux-minicluster:index:fromMPIJob": async ({ fluxInImage, yaml }) => {
        const { fromMPIJob } = await import("../convert/index.js");
        return fromMPIJob(yaml, { fluxInImage });
    },
    "flux-minicluster:index:fromOperator": async ({ yaml }) => {
        const { readMiniCluster } = await import("../convert/operator/resource.js");
        // A secret in the answer would make all of it secret: Go refuses that, and MiniCluster refuses a secret command.
        // The certificate becomes a secret when a MiniCluster gets it.
        return readMiniCluster(yaml);
    },
    "flux-minicluster:index:getMiniCluster": (inputs) => getMiniCluster(inputs as GetMiniClusterArgs),
};

/** Answers the call of a function. */
export async function invoke(request: InvokeRequest): Promise<InvokeResponse> {
    const call = FUNCTIONS[request.getTok()];
    if (call === undefined) {
        throw new Error(`The package flux-minicluster has no function ${request.getTok()}.`);
    }
    const { reply, values } = read(request.getArgs());
    return new InvokeResponse().setReturn(reply(await call(values)));
}
