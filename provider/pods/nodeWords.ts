/**
 * Words of the API server about a pod that it doesn't create, of a container runtime about a container that it can't start,
 * and of a kubelet about a pod that it evicts, and what the user can change.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/helpers.go
 */
const CURES: readonly (readonly [RegExp, string])[] = [
    [
        /exec: "\/bin\/sh": /,
        "The scripts of MiniCluster need /bin/sh. Use an image that has it, and mount no volume over /bin, /lib or /usr.",
    ],
    [
        /error mounting .*read-only file system/,
        "A volume that is read-only is mounted over a folder in which another mount needs a folder of its own. Use " +
            "another mountPath, or create the folder in the volume.",
    ],
    [
        /error during container init: mkdir .*not a directory/,
        "The working directory is a file, or is below one. Set workingDir to a folder.",
    ],
    [
        /exceeded its local ephemeral storage limit|local storage usage exceeds/,
        'Raise resources.limits["ephemeral-storage"], or write to a volume.',
    ],
    [
        /minimum \S+ usage per Container|limit to request ratio per Container/,
        "If the amount isn't of the arguments, it is of a small container flux-... of the cluster's own: change its resources " +
            "in podTemplate.spec.initContainers, by its name.",
    ],
    [/^Usage of EmptyDir volume /, "Raise its sizeLimit, or write less."],
];

/** What the user can change if Kubernetes says these words: a sentence, or nothing. */
export function nodeCure(words: string): string {
    const found = CURES.find(([pattern]) => pattern.test(words));
    return found === undefined ? "" : ` ${found[1]}`;
}
