export const EPOCH: number;
export function archive(folder: string, name: string, file: string): void;
