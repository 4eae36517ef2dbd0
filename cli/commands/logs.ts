import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";

import { FLUX_CONTAINER } from "../../provider/contract/names";
import { retry } from "../../provider/kube/client";
import { Log } from "../../provider/kube/clientNode";
import type { Arguments } from "../arguments";
import { rankOf } from "../ranks";
import { targetOf } from "../target";
import { UsageError } from "../usage";

/** Prints the log of a rank's container, and with `--follow` its new lines. */
export async function logs({ options, words }: Arguments): Promise<number> {
    const [rank = "0", container = FLUX_CONTAINER] = words;
    if (!/^\d+$/.test(rank) || words.length > 2) {
        throw new UsageError(`logs is given "${words.join(" ")}"; it takes a rank (a number) and a container.`);
    }
    const target = targetOf(options);
    const { kube, namespace } = target;
    const { name } = await rankOf(target, Number(rank));
    if (options.follow !== true) {
        const text = await retry(() => kube.core.readNamespacedPodLog({ name, namespace, container }));
        process.stdout.write(options.json ? `${JSON.stringify({ rank: Number(rank), container, log: text })}\n` : text);
        return 0;
    }
    const lines = new PassThrough();
    const shown = pipeline(lines, process.stdout, { end: false });
    await new Log(kube.config).log(namespace, name, container, lines, { follow: true });
    await shown;
    return 0;
}
