import { fastHost } from "../../../local/paths";

/** Settings of a project for the host that runs its dynamic resources: Pulumi's own one, or with FAST_HOST=on ours. */
export function hostSettings(): { plugins?: object } {
    return process.env.FAST_HOST === "on" ? { plugins: { providers: [fastHost] } } : {};
}
