import { chownSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { ImageConfig } from "./archive";

/**
 * What the public images of flux-core have, and a test image lacks or has besides. The packages of other distributions
 * can't be had here, so an image of ours only imitates paths, user, shells, tools and the version of Python. They are
 * those of src/test/docker/{bookworm,el9,alpine,checks}/Dockerfile of flux-core 0.88.
 */
export interface Likeness {
    readonly config: ImageConfig;
    /** Files over the image's own. A link begins with "-> ", a copy of a program of this machine with "<- ". */
    readonly files: Readonly<Record<string, string>>;
    /** Files and folders of the image below that the public image lacks. */
    readonly hidden: readonly string[];
}

/** The image's user. In the published images, the uid 1000 is free and 1001 belongs to the user who builds them. */
export const PUBLIC_USER = { name: "fluxuser", uid: 1002, gid: 1002, home: "/home/fluxuser" } as const;

const { gid, home, name, uid } = PUBLIC_USER;
const config: ImageConfig = {
    Cmd: ["/bin/bash"],
    Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"],
    User: name,
    WorkingDir: home,
};
const NO_PIP = ["usr/lib/python3/dist-packages/pip", "usr/lib/python3/dist-packages/pip-23.0.1.dist-info"];
/** The stand-in for flux-restful, and flux-restful itself. */
const NO_RESTFUL = ["usr/lib/flux-standin/restful", "usr/local/lib/python3.11/dist-packages/flux_restful"];

/** Each interpreter says that it is of another version. It has the modules of its own version. */
const pythonOf = (minor: number) => `import collections, sys
fields = "major minor micro releaselevel serial"
sys.version_info = collections.namedtuple("version_info", fields)(3, ${minor}, 0, "final", 0)
`;

/** BUSYBOX names a static one on the machine that runs the tests. */
const BUSYBOX = process.env["BUSYBOX"];
const BUSYBOX_AS_SH: Readonly<Record<string, string>> =
    BUSYBOX === undefined ? {} : { "usr/bin/busybox": `<- ${BUSYBOX}`, "usr/bin/sh": "-> busybox" };

export const LIKENESSES = {
    /** Debian 12: pip is purged after the build. */
    bookworm: { config, files: {}, hidden: NO_PIP },
    /** Red Hat 9: bash is /bin/sh, Python is 3.9, for which there is no flux-restful 1.1. */
    el9: {
        config,
        files: {
            "usr/bin/python": "-> python3",
            "usr/bin/sh": "-> bash",
            "usr/lib/python3/dist-packages/imitated_python.pth": "import imitated_python\n",
            "usr/lib/python3/dist-packages/imitated_python.py": pythonOf(9),
        },
        hidden: [...NO_PIP, ...NO_RESTFUL],
    },
    /** Alpine 3.18: no pip; BusyBox is /bin/sh, if BUSYBOX is given. */
    alpine: {
        config,
        files: BUSYBOX_AS_SH,
        hidden: NO_PIP,
    },
} satisfies Record<string, Likeness>;

/** Writes the files of a likeness, and the accounts of its users, into a folder. `read` reads a file of the image. */
export function imitate({ files }: Likeness, folder: string, read: (path: string) => string): void {
    const accounts = {
        "etc/passwd": `${read("etc/passwd")}runner:x:1001:1001::/home/runner:/bin/sh\n${name}:x:${uid}:${gid}::${home}:/bin/bash\n`,
        "etc/group": `${read("etc/group")}runner:x:1001:\n${name}:x:${gid}:\n`,
    };
    for (const [path, text] of Object.entries({ ...files, ...accounts })) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        if (text.startsWith("-> ")) {
            symlinkSync(text.slice("-> ".length), join(folder, path));
        } else if (text.startsWith("<- ")) {
            cpSync(text.slice("<- ".length), join(folder, path));
        } else {
            writeFileSync(join(folder, path), text);
        }
    }
    mkdirSync(join(folder, home), { recursive: true });
    chownSync(join(folder, home), uid, gid);
}
