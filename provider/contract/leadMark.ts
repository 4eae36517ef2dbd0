/** Tells the lead Service of one cluster from all others: by its UID, or by its nonce if it was created again. */
export interface LeadMark {
    readonly uid?: string;
    readonly nonce?: string;
}
