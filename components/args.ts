import type { Unwrap } from "@pulumi/pulumi";

import type { AccessArguments } from "./features/access";
import type { ArchiveArguments } from "./features/archive";
import type { AttemptsArguments } from "./features/attempts";
import type { BrokerArguments } from "./features/broker";
import type { CommandArguments } from "./features/command";
import type { ElasticArguments } from "./features/elastic";
import type { EndingArguments } from "./features/ending";
import type { EnvironmentArguments } from "./features/environment";
import type { HooksArguments } from "./features/hooks";
import type { ImageArguments } from "./features/image";
import type { JobArguments } from "./features/job";
import type { KeyArguments } from "./features/key";
import type { MungeArguments } from "./features/munge";
import type { NameArguments } from "./features/name";
import type { NetworkArguments } from "./features/network";
import type { PlacementArguments } from "./features/placement";
import type { RendezvousArguments } from "./features/rendezvous";
import type { ResourcesArguments } from "./features/resources";
import type { RestfulArguments } from "./features/restful";
import type { SecurityArguments } from "./features/security";
import type { ServicesArguments } from "./features/services";
import type { SidecarsArguments } from "./features/sidecars";
import type { SizeArguments } from "./features/size";
import type { UpdateArguments } from "./features/update";
import type { UserArguments } from "./features/user";
import type { ViewArguments } from "./features/view";
import type { VolumesArguments } from "./features/volumes";

/** Arguments of a MiniCluster. */
export interface MiniClusterArgs
    extends ImageArguments,
        CommandArguments,
        AttemptsArguments,
        RendezvousArguments,
        SizeArguments,
        NameArguments,
        AccessArguments,
        EnvironmentArguments,
        ResourcesArguments,
        PlacementArguments,
        UserArguments,
        SecurityArguments,
        VolumesArguments,
        NetworkArguments,
        ViewArguments,
        SidecarsArguments,
        ServicesArguments,
        HooksArguments,
        BrokerArguments,
        RestfulArguments,
        ArchiveArguments,
        ElasticArguments,
        MungeArguments,
        KeyArguments,
        JobArguments,
        EndingArguments,
        UpdateArguments {}

/** Arguments without Outputs. `environment` has only the plain variables. */
export type PlainArgs = Unwrap<Omit<MiniClusterArgs, "context" | "kubeconfig" | "namespace" | "triggers">>;
