/** A command of sh that fills the disk of a folder, and fails if the disk isn't full then. */
export const fill = (folder: string): string =>
    `cat /dev/zero >${folder}/filled 2>/dev/null; [ $(stat -f -c %f ${folder}) = 0 ]`;

/** The same with empty files. */
export const fillWithFiles = (folder: string): string =>
    `i=0; while printf '' 2>/dev/null >${folder}/filled.$i; do i=$((i + 1)); done; [ $(stat -f -c %d ${folder}) = 0 ]`;
