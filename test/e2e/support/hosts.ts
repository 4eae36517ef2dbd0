import { fastHost, plugin } from "../../../scripts/local/paths";

/** The tests' programs get components that the provider plugin constructs. */
export const ON_PLUGIN = process.env.PLUGIN === "on";

/**
 * The providers of a project: the plugin, and what runs its dynamic resources, which is Pulumi's own host, or with
 * FAST_HOST=on ours.
 */
export function hostSettings(isFast = process.env.FAST_HOST === "on"): { plugins: object } {
    return { plugins: { providers: [plugin, ...(isFast ? [fastHost] : [])] } };
}
