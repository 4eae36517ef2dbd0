import type { TestNamespace } from "./namespace";

/** One line for each job of a name, the oldest first. */
export async function jobsOf(
    namespace: TestNamespace,
    cluster: string,
    name: string,
    format = "{id.f58plain}",
): Promise<string[]> {
    const words = ["flux", "jobs", "-a", "--count=0", "-no", format, `--name=${name}`];
    const lines = (await namespace.exec(cluster, words)).trim().split("\n");
    return lines.filter((line) => line !== "").reverse();
}
