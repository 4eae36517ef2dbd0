import { gzipSync } from "node:zlib";

import { tar } from "../../../scripts/local/tar";

const EVENT = '{"timestamp":1795392000.5,"name":"restart","context":{"ranks":"0-1"}}\n';

/** Members like those of `flux dump`: values of keys, and the events of the resources. */
export function members(queue = "queue", events = EVENT) {
    const entry = (path: string, content: string) => ({ path, content: Buffer.from(content), mode: 0o644 });
    return [
        entry("job/0000/0000/0001/jobspec", queue),
        entry("resource/eventlog", events),
        entry("resource/R", '{"version":1}'),
    ];
}

export const dump = (...of: Parameters<typeof members>): Buffer => gzipSync(tar(members(...of)));
