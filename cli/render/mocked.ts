import type { KubernetesObject } from "../../provider/contract/object";
import { UsageError } from "../definition/arguments";
import type { Resource } from "./resources";

/**
 * The children of a MiniCluster with these arguments: the component itself makes them, and no engine gets them. Throws
 * what the component says about the arguments.
 */
export async function resourcesOf(document: KubernetesObject, selected: string | undefined): Promise<Resource[]> {
    const { name = selected, ...args } = document;
    if (typeof name !== "string") {
        throw new UsageError('The cluster has no name. Give it as "name" beside the other arguments, or by --cluster.');
    }
    // Pulumi's SDK takes half a second to load, and only this command needs it.
    const pulumi = await import("@pulumi/pulumi");
    const { useNativeTypes } = await import("../../provider/host/shim.js");
    const { MiniCluster } = await import("../../components/miniCluster.js");
    const { problemsOfCluster } = await import("../../components/arguments/resolve.js");
    const { describeProblems } = await import("../../components/rules/problem.js");
    // As in the plugin: no program has to be there in which Pulumi could find the package.
    useNativeTypes(undefined);
    const registered: Resource[] = [];
    await pulumi.runtime.setMocks({
        call: ({ inputs }) => inputs as object,
        newResource: ({ id, inputs, name: child, type }) => {
            registered.push({ urn: child, type, inputs });
            return { id: id || child, state: inputs };
        },
    });
    const given = args as unknown as ConstructorParameters<typeof MiniCluster>[1];
    const problems = await problemsOfCluster(given, name);
    if (problems.length > 0) {
        throw new Error(describeProblems(name, problems));
    }
    new MiniCluster(name, given);
    await pulumi.runtime.disconnect();
    return registered;
}
