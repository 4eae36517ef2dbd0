/** The image with Flux that the Flux Operator uses by default, and where Flux is in it. */
export const VIEW = {
    image: "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble",
    prefix: "/opt/view",
    folders: ["/opt/software"],
} as const;
