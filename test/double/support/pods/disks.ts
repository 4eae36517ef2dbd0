/** A command of sh that fills the disk of a folder, and fails if the disk isn't full then. */
export const fill = (folder: string): string =>
    `cat /dev/zero >${folder}/filled 2>/dev/null; [ $(stat -f -c %f ${folder}) = 0 ]`;
