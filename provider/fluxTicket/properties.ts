import type { OnlyOutputs } from "../inputs";

export interface FluxTicketOutputs {
    readonly nonce: string;
    /** Version of this layout of the outputs. */
    readonly schemaVersion: number;
}

export const OUTPUTS: OnlyOutputs<FluxTicketOutputs, object> = { nonce: undefined, schemaVersion: undefined };
