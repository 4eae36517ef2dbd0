import { fastHost, plugin } from "../../../local/paths";

/**
 * The providers of a project: the plugin, and what runs its dynamic resources, which is Pulumi's own host, or with
 * FAST_HOST=on ours.
 */
export function hostSettings(): { plugins: object } {
    return { plugins: { providers: [plugin, ...(process.env.FAST_HOST === "on" ? [fastHost] : [])] } };
}
