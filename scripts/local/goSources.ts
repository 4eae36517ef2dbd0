/** A dependency that is built from an edited copy of its sources. */
export interface EditedModule {
    readonly module: string;
    readonly edits: readonly Edit[];
}

/**
 * Replaces a text (`before`) that must occur in the file exactly once. Or removes the text from `from`, which must
 * occur exactly once, up to the next occurrence of `upTo`. Or removes the lines that begin with one of the texts in
 * `without`, each of which must match a line.
 */
export type Edit = { readonly file: string } & (
    | { readonly before: string; readonly after: string }
    | { readonly from: string; readonly upTo: string }
    | { readonly without: readonly string[] }
);

const notCompiled = (file: string, name: string): Edit => {
    const line = `\npackage ${name}\n`;
    return { file, before: line, after: `\n//go:build ignore\n${line}` };
};

const LOGS: readonly Edit[] = [
    notCompiled("operations/operations_aws.go", "operations"),
    notCompiled("operations/operations_gcp.go", "operations"),
    { file: "operations/resources.go", from: '\tcase "aws":', upTo: "\tdefault:" },
];

/** `azure` is the beginning of the line that imports Azure's driver. */
const statesWith = (azure: string): readonly Edit[] => [
    {
        file: "backend/diy/backend.go",
        without: [
            azure,
            '\t"gocloud.dev/blob/gcsblob"',
            '\t_ "gocloud.dev/blob/s3blob"',
            '\t"github.com/pulumi/pulumi/pkg/v3/authhelpers"',
        ],
    },
    { file: "backend/diy/backend.go", from: "\t// for gcp we want", upTo: "\tbucket, err := blobmux" },
];

const STATES = statesWith('\t"gocloud.dev/blob/azureblob"');

const COPIES: readonly Edit[] = [
    { file: "backend/diy/bucket.go", without: ["\tawss3 ", '\t"net/url"'] },
    { file: "backend/diy/bucket.go", from: "\t\tvar input *awss3", upTo: "\t\tif beforeCopy" },
    { file: "backend/diy/bucket.go", from: "// fixupS3CopySource rewrites", upTo: "func (b *wrappedBucket) Delete" },
];

const KEYS: readonly Edit[] = [
    {
        file: "secrets/cloud/manager.go",
        without: [
            '\t_ "gocloud.dev/secrets/awskms"',
            '\t_ "gocloud.dev/secrets/azurekeyvault"',
            '\t"gocloud.dev/secrets/gcpkms"',
            '\t"google.golang.org/api/',
            '\t"github.com/pulumi/pulumi/pkg/v3/authhelpers"',
        ],
    },
    { file: "secrets/cloud/manager.go", from: "\tcase gcpkms.Scheme:", upTo: "\tdefault:" },
];

const API_FILES = ["api", "describe", "describe_markdown", "fields", "list", "paginate", "pathmatch"];

/** `pulumi api` needs a library for OpenAPI, whose compilation takes 30 s of CPU. */
const API: readonly Edit[] = [
    ...[...API_FILES, "schema", "spec", "spec_fetch"].map((name) =>
        notCompiled(`cmd/pulumi/cloud/${name}.go`, "cloud"),
    ),
    { file: "cmd/pulumi/cloud/envelope.go", from: "// describedOp is", upTo: "// DryRunPlan is" },
    {
        file: "cmd/pulumi/pulumi.go",
        without: ['\t"github.com/pulumi/pulumi/pkg/v3/cmd/pulumi/cloud"', "\t\t\t\tcloud.NewAPICmd(),"],
    },
];

/** Removes support for states, keys and logs in AWS, Azure and Google Cloud, and the command `pulumi api`. */
export const withoutClouds: readonly Edit[] = [...LOGS, ...STATES, ...COPIES, ...KEYS, ...API];

/** The same for other versions of Pulumi, whose sources differ. */
export const withoutCloudsIn: Readonly<Record<"3.216.0" | "3.274.1", readonly Edit[]>> = {
    "3.216.0": [...LOGS, ...statesWith('\t_ "gocloud.dev/blob/azureblob"'), ...KEYS],
    "3.274.1": [...STATES, ...COPIES, ...KEYS],
};

/**
 * Packages that tests hardly run: unused commands of Pulumi, parts of Kubernetes and containerd for hardware and
 * services that the local node doesn't have, tables. They are compiled without optimization, which halves the time.
 */
export const RARELY_RUN: readonly string[] = [
    "charm.land/...",
    "github.com/alecthomas/...",
    "github.com/Azure/...",
    "github.com/AzureAD/...",
    "github.com/ccojocar/...",
    "github.com/charmbracelet/...",
    "github.com/cilium/...",
    "github.com/cncf/...",
    "github.com/containerd/containerd/v2/plugins/...",
    "github.com/containerd/nri/...",
    "github.com/envoyproxy/...",
    "github.com/git-pkgs/...",
    "github.com/go-git/...",
    "github.com/google/cadvisor/...",
    "github.com/google/gnostic-models/...",
    "github.com/google/go-containerregistry/...",
    "github.com/google/go-tpm/...",
    "github.com/hashicorp/...",
    "github.com/nbutton23/...",
    "github.com/pb33f/...",
    "github.com/pgavlin/...",
    "github.com/ProtonMail/...",
    "github.com/pulumi/pulumi/pkg/v3/cmd/...",
    "github.com/pulumi/pulumi/pkg/v3/codegen/...",
    "github.com/quic-go/...",
    "github.com/rivo/...",
    "github.com/sourcegraph/...",
    "github.com/tetratelabs/...",
    "github.com/uber/...",
    "github.com/yuin/...",
    "github.com/zclconf/...",
    "go.opentelemetry.io/...",
    "gocloud.dev/...",
    "google.golang.org/genproto/...",
    "helm.sh/...",
    "k8s.io/client-go/applyconfigurations/...",
    "k8s.io/client-go/informers/...",
    "k8s.io/kubectl/...",
    "k8s.io/kubernetes/cmd/kubeadm/...",
    "k8s.io/kubernetes/pkg/generated/...",
    "k8s.io/kubernetes/pkg/volume/...",
    "sigs.k8s.io/kustomize/...",
    "sourcegraph.com/...",
];
