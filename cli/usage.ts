/** A mistake in the command line; the exit code is 2. */
export class UsageError extends Error {}

const GLOBAL = `Which cluster:
  -c, --cluster NAME     its name; without it, the one that the stack exports
  -n, --namespace NAME   its namespace; without it, the context's
  -s, --stack NAME       take name and namespace from the outputs of this Pulumi stack (without a cluster or a stack: of
                         the selected one of the program in this folder)
      --kubeconfig FILE  else KUBECONFIG, ~/.kube/config
      --context NAME     else the current one

      --json             print JSON
  -h, --help`;

const COMMANDS = `  list                         the MiniClusters of a namespace
  status                       ranks, nodes, phases
  logs [-f] [RANK] [CONTAINER] what a rank has printed; rank 0 unless another is given
  shell [RANK]                 a shell on a rank
  submit [OPTION...] COMMAND   run a job: shows its output, ends with its exit code
  jobs                         the jobs that Flux knows
  forward [LOCAL[:REMOTE]]     a port of rank 0 on localhost`;

const SUBMIT = `Options of submit, which come before the command; the command's words are kept as they are:
  -N, --nodes N       --tasks N       --cores N and --gpus N for each task
      --env NAME=VALUE    --cwd FOLDER    --time-limit SECONDS    --job-name NAME
      --detach        print the job's id and don't wait for it`;

export const USAGE = `Usage: minicluster COMMAND [OPTION...]

${COMMANDS}

${GLOBAL}

${SUBMIT}
`;
