import { join } from "node:path";

import { withLock } from "../lock";
import { stateDir } from "../paths";

/** Runs an action while no other process starts, changes or removes this clone's cluster. */
export function withCluster<T>(action: () => Promise<T>): Promise<T> {
    return withLock(join(stateDir, "cluster.lock"), "this clone's cluster", action);
}
