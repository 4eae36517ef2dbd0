import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { bareUnlessCommand, ChangingCluster } from "../../e2e/support/changing";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { Program } from "../../e2e/support/stack";
import type { VersionedPrograms } from "./versionedPulumi";

const SOURCE = join(root, "test", "faults", "programs", "nodejs", "cluster");

/** A MiniCluster in a program that runs with a set of versions, in its own process. */
export class VersionedCluster extends ChangingCluster {
    private constructor(
        namespace: TestNamespace,
        name: string,
        args: ChangingCluster["args"],
        program: Program,
        private readonly file: string,
    ) {
        super(namespace, name, args, undefined, program);
        this.write();
    }

    static make(
        { host, program }: VersionedPrograms,
        namespace: TestNamespace,
        name: string,
        args: ChangingCluster["args"],
    ): VersionedCluster {
        const dir = program(name, SOURCE);
        const file = join(dir, "cluster.json");
        const environment = { ...host.environment, CLUSTER_FILE: file };
        return new VersionedCluster(namespace, name, args, { dir, host: { ...host, environment } }, file);
    }

    override set(args: ChangingCluster["args"]): void {
        super.set(args);
        this.write();
    }

    private write(): void {
        const { image } = this.namespace;
        writeFileSync(this.file, JSON.stringify({ name: this.name, args: { image, ...bareUnlessCommand(this.args) } }));
    }
}
