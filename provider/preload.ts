/**
 * Loads the verbs of IndexedJob and JobStatus after the verb that calls this has answered. With the Kubernetes client,
 * this takes 0.1 s the first time; meanwhile, Pulumi works on the resources that come after the key.
 */
export function preload(): void {
    // The host sends the answer in the next turn of its event loop. A load in that turn would delay the answer.
    setImmediate(() => setImmediate(load));
}

function load(): void {
    require("./indexedJob/verbs");
    require("./jobStatus/verbs");
}
