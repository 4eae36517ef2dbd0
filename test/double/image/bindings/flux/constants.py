"""Numbers of states and results. Checked: src/common/libjob/job.h."""

FLUX_JOB_STATE_INACTIVE = 64
FLUX_JOB_STATE_RUNNING = 16 | 32

FLUX_JOB_RESULT_COMPLETED = 1
