import { mkdirSync, mkdtempSync, renameSync, rmSync, existsSync } from "node:fs";
import { withLock } from "../lock";

/** Makes a folder of the cache once: it appears whole, under its own name, or not at all. */
export async function makeOnce(folder: string, what: string, make: (draft: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  return withLock(`${folder}.lock`, what, async () => {
    if (!existsSync(folder)) await makeWhole(folder, make);
    return folder;
  });
}

async function makeWhole(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    await make(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A folder beside `path` that is gone when the action has ended. */
export async function withScratch<T>(path: string, action: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(`${path}.`);
  try {
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
