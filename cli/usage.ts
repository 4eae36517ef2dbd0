/** A mistake in the command line; the exit code is 2. */
export class UsageError extends Error {}

const GLOBAL = `Options that select the cluster:
  -c, --cluster NAME     name of the cluster (default: the cluster that the stack exports)
  -n, --namespace NAME   namespace of the cluster (default: the context's)
  -s, --stack NAME       Pulumi stack that exports the cluster (default: the selected stack of this folder)
      --kubeconfig FILE  kubeconfig (default: KUBECONFIG, ~/.kube/config)
      --context NAME     context of the kubeconfig (default: the current one)

Other options:
      --json             print JSON
  -h, --help             print this help`;

const COMMANDS = `  list                         list the MiniClusters of a namespace
  status                       show ranks, nodes and phases
  logs [-f] [RANK] [CONTAINER] show the log of a rank (default: rank 0, the lead)
  shell [RANK]                 open a shell on a rank (default: the lead)
  submit [OPTION...] COMMAND   run a job, show its output and exit with its exit code; also called run
  wake                         wake a cluster that sleeps, and wait until it takes jobs
  jobs                         list the jobs that Flux knows
  forward [LOCAL[:REMOTE]]     forward a local port to a port of the lead
  plan [FILE]                  say what an update or a destroy starts and ends, by the output of
                               pulumi preview --json, or pulumi destroy --preview-only --json`;

const SUBMIT = `Options of submit, given before COMMAND; the words of COMMAND are not changed:
  -N, --nodes N       --tasks N           --cores-per-task N    --gpus-per-task N
  -x, --exclusive     --tasks-per-node N  --time-limit SECONDS  --signal NAME@SECONDS
      --requires CONSTRAINT    --flux-queue NAME    --urgency 0-31    -o, --shell-option NAME=VALUE
      --input-file FILE    --output-file FILE    --error-file FILE
      --env NAME=VALUE    --cwd FOLDER    --job-name NAME
      --detach        print the job's id and don't wait for the job's end`;

const PLAN = `Options of plan; it exits with 3 if the plan exceeds one of them:
      --no-kill       no running command or job may end
      --max-node-hours N   the pods that the plan starts may take at most so many hours of nodes`;

export const USAGE = `Usage: minicluster COMMAND [OPTION...]

${COMMANDS}

${GLOBAL}

${SUBMIT}

${PLAN}
`;
