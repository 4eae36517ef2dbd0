import { buildSite } from "./build";
import { serve } from "./serve";

const PORT = 4173;

/** Builds the site and serves it until it is interrupted. */
export async function docs(): Promise<void> {
    const { address } = await serve(await buildSite(), Number(process.env["PORT"] || PORT));
    console.log(`The pages are at ${address}/ until you press Ctrl-C.`);
}
