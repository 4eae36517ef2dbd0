let begun = false;

/**
 * Loads the verbs of IndexedJob and JobStatus as soon as the verb that calls this has answered. The Kubernetes client
 * takes half a second to load; meanwhile, Pulumi works on the resources that come after the key.
 */
export function preload(): void {
    if (begun) {
        return;
    }
    begun = true;
    setImmediate(() => {
        require("../indexedJob/verbs");
        require("../jobStatus/verbs");
    });
}
