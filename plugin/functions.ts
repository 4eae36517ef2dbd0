import type { Json } from "../provider/contract/object";
import { type InvokeRequest, InvokeResponse } from "../provider/host/grpcNode";
import { native, secret } from "../provider/host/properties";
import { getMiniCluster, type GetMiniClusterArgs } from "./getMiniCluster";

type Call = (inputs: Record<string, Json>) => Promise<Json>;

const FUNCTIONS: Readonly<Record<string, Call | undefined>> = {
    "flux-minicluster:index:fromOperator": async ({ yaml }) => {
        // It loads Pulumi's SDK, which takes longer than all else at the start of the plugin.
        const { fromOperator } = await import("../components/operator/fromOperator.js");
        const { opened } = await import("../components/operator/opened.js");
        return opened(fromOperator(yaml), secret);
    },
    "flux-minicluster:index:getMiniCluster": (inputs) => getMiniCluster(inputs as GetMiniClusterArgs),
};

/** Answers the call of a function. */
export async function invoke(request: InvokeRequest): Promise<InvokeResponse> {
    const call = FUNCTIONS[request.getTok()];
    if (call === undefined) {
        throw new Error(`The package flux-minicluster has no function ${request.getTok()}.`);
    }
    const { reply, values } = native(request.getArgs());
    return new InvokeResponse().setReturn(reply(await call(values)));
}
