import { type Cause, waiting, warning } from "./cause";

const missing =
    'failed to pull and unpack image "registry.example.com/flux:9": failed to resolve image: registry.example.com/flux:9: not found';

export const containers: readonly Cause[] = [
    {
        cause: "an image that doesn't exist, or whose registry refuses it",
        pod: waiting("ErrImagePull", missing),
        limit: "imagePull",
    },
    {
        cause: "the same, between two tries",
        pod: waiting("ImagePullBackOff", 'Back-off pulling image "registry.example.com/flux:9"'),
        events: [warning("Failed", `Failed to pull image "registry.example.com/flux:9": ${missing}`)],
        limit: "imagePull",
    },
    {
        cause: "an image that the node must have, and doesn't",
        pod: waiting("ErrImageNeverPull", 'Container image "flux:9" is not present with pull policy of Never'),
    },
    {
        cause: "an image name that is none",
        pod: waiting(
            "InvalidImageName",
            'Failed to apply default image tag "Flux:9": couldn\'t parse image name "Flux:9"',
        ),
    },
    {
        cause: "a variable from a Secret (or a ConfigMap) that doesn't exist",
        pod: waiting("CreateContainerConfigError", 'secret "licence" not found'),
        limit: "podStart",
    },
    {
        cause: "a variable from a key that isn't there",
        pod: waiting("CreateContainerConfigError", "couldn't find key SERVER in Secret hpc/licence"),
        limit: "podStart",
    },
    {
        cause: "an image that runs as root, although `runAsNonRoot` is set",
        pod: waiting("CreateContainerConfigError", "container has runAsNonRoot and image will run as root"),
        limit: "podCreation",
    },
    {
        cause: "a program that the image doesn't have",
        pod: waiting(
            "RunContainerError",
            'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "launch": executable file not found in $PATH',
        ),
        limit: "podCreation",
    },
    {
        cause: "an image without /bin/sh, or a volume over /bin, /lib or /usr",
        pod: waiting(
            "RunContainerError",
            'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory',
        ),
        limit: "podCreation",
    },
    {
        cause: "a read-only volume over a folder in which another mount has its own folder",
        pod: waiting(
            "RunContainerError",
            'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error mounting "/var/lib/kubelet/pods/x/volumes/curve" to rootfs at "/etc/curve": mkdir /rootfs/etc/curve: read-only file system',
        ),
        limit: "podCreation",
    },
    {
        cause: "a file in place of the working directory",
        pod: waiting(
            "RunContainerError",
            "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: mkdir /data/input.nc: not a directory",
        ),
        limit: "podCreation",
    },
    {
        cause: "a container runtime that is busy",
        pod: waiting("CreateContainerError", "context deadline exceeded"),
        limit: "podStart",
    },
    {
        cause: "other words of the container runtime",
        pod: waiting("CreateContainerError", "nvidia-container-cli: initialization error: driver not loaded"),
        limit: "podStart",
    },
];
