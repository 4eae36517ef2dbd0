import { kubernetesPlugin, leanKubernetes, withoutCloudsInOldest } from "./goSources";
import { type Piece, pulumi, pulumiKubernetes } from "./pieces";

/** The oldest version that the package supports (peerDependencies). `pulumiVersion` is the newest one. */
export const oldestPulumiVersion = "3.216.0";

/** The Pulumi CLI of that version, with its engine. */
export const oldestPulumi: Piece = {
    ...pulumi,
    name: "pulumi-3.216",
    module: "pulumi-3.216",
    variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${oldestPulumiVersion}` },
    edited: [{ module: "github.com/pulumi/pulumi/pkg/v3", edits: withoutCloudsInOldest }],
};

const AWAIT = "pkg/await/await.go";

/**
 * The Kubernetes plugin of 4.25.0 which creates by POST like 4.29 and later. Their sources are in no Go module. In them,
 * a creation is a POST, so it fails if the object exists, unless PULUMI_K8S_UPSERT_EXISTING_OBJECTS is true. An update
 * is a server-side apply, as before. The field manager of a creation has a fixed name, from which the first update takes
 * over the fields.
 */
export const pulumiKubernetesByPost: Piece = {
    ...pulumiKubernetes,
    name: "pulumi-kubernetes-by-post",
    variables: {
        "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": "4.25.0+creates-by-post",
    },
    edited: [
        ...leanKubernetes,
        {
            ...kubernetesPlugin,
            edits: [
                ...kubernetesPlugin.edits,
                {
                    file: AWAIT,
                    before: "if c.ServerSideApply {\n\t\t\t\tforce := patchForce(c.Inputs, nil, c.Preview)",
                    after:
                        'if c.ServerSideApply && (os.Getenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS") == "true" || ' +
                        "kinds.IsPatchResource(c.URN, c.Inputs.GetKind())) {\n" +
                        "\t\t\t\tforce := patchForce(c.Inputs, nil, c.Preview)",
                },
                {
                    file: AWAIT,
                    before: "metav1.CreateOptions{\n\t\t\t\t\tFieldManager: c.FieldManager,",
                    after: 'metav1.CreateOptions{\n\t\t\t\t\tFieldManager: "pulumi-kubernetes",',
                },
            ],
        },
    ],
};
