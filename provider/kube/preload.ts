let begun = false;

/**
 * Loads what IndexedJob and JobStatus need as soon as the verb that calls this has answered. The Kubernetes client takes
 * half a second to load, and Pulumi is busy with other resources then: those that the key comes before.
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
