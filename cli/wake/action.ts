import { foreignJson } from "../../provider/contract/foreignText";
import { leadFor } from "../../provider/flux/lead";
import type { Arguments } from "../definition/arguments";
import { requireLead, targetOf, waitingFor, WAKES_WITHIN } from "../target/target";

/** Wakes a cluster that sleeps, and waits until it takes jobs. */
export async function wakeUp({ options }: Arguments): Promise<number> {
    const target = await targetOf(options);
    await requireLead(target);
    await leadFor(waitingFor(target), WAKES_WITHIN);
    const { name, namespace } = target;
    process.stdout.write(options.json ? `${foreignJson({ name, namespace })}\n` : `${namespace}/${name} is awake\n`);
    return 0;
}
