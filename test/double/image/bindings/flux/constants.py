"""Numbers of states, results and flags. Checked: src/common/libjob/job.h, src/common/libflux/{handle,rpc}.h."""

FLUX_JOB_STATE_INACTIVE = 64
FLUX_JOB_STATE_RUNNING = 16 | 32

FLUX_JOB_RESULT_COMPLETED = 1

FLUX_RPC_STREAMING = 2

FLUX_POLLIN = 1
