/* Ping-pong between two tasks of one pod and of two pods, and allreduce of all tasks, by the size of the message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST (4 << 20)
#define SECONDS_PER_ROW 0.2

static int rank, size;
static char *host, *hosts; /* the host of this task, and of each task */
static void *sent, *received;

static const char *host_of(int task) { return hosts + (size_t)task * MPI_MAX_PROCESSOR_NAME; }

/* Tasks that only wait must not take the CPU from tasks that are measured, as MPI_Barrier would. */
static void wait_for_all(void) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        usleep(1000);
}

static void ping_pong(int partner, int bytes) {
    if (rank == 0) {
        MPI_Send(sent, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
        MPI_Recv(received, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(received, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(sent, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void allreduce(int partner, int bytes) {
    (void)partner;
    MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Microseconds of one call, as task 0 measures them. */
static double time_of(void (*call)(int, int), int partner, int bytes) {
    const int is_in = call == allreduce || rank == 0 || rank == partner;
    double taken = 0;
    long repeats = 10;
    for (int step = 0; step < 2; step++) {
        wait_for_all();
        const double start = MPI_Wtime();
        for (long i = 0; is_in && i < repeats; i++)
            call(partner, bytes);
        taken = (MPI_Wtime() - start) / repeats;
        if (step == 0) {
            const double fitting = SECONDS_PER_ROW / taken;
            repeats = fitting < 10 ? 10 : fitting > 1e5 ? 100000 : (long)fitting;
            MPI_Bcast(&repeats, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        }
    }
    return taken * 1e6;
}

/* Task 0 waits for its own message twice, so one way takes half of the time. */
static void print_ping_pong(int partner, int bytes) {
    if (partner < 0) {
        if (rank == 0)
            printf("%10s %9s", "-", "-");
        return;
    }
    const double one_way = time_of(ping_pong, partner, bytes) / 2;
    if (rank == 0)
        printf("%10.2f %9.1f", one_way, bytes / one_way);
}

/* The first task on the host of task 0, or the first one on another host; -1 if there is none. */
static int partner_on(int same_host) {
    for (int task = 1; task < size; task++)
        if ((strcmp(host_of(task), host_of(0)) == 0) == same_host)
            return task;
    return -1;
}

static int host_count(void) {
    int count = 0;
    for (int task = 0; task < size; task++) {
        int earlier = 0;
        while (strcmp(host_of(earlier), host_of(task)) != 0)
            earlier++;
        count += earlier == task;
    }
    return count;
}

/* If the MPI library doesn't find Flux' PMI, each task runs alone and believes to be the only one. */
static void refuse_to_run_alone(void) {
    const char *tasks = getenv("FLUX_JOB_SIZE");
    if (size < 2 || (tasks && atoi(tasks) != size)) {
        fprintf(stderr, "MPI has %d task%s, and Flux started %s: docs/mpi.md says which MPI finds the others\n", size,
                size == 1 ? "" : "s", tasks ? tasks : "none");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void gather_hosts(void) {
    int length;
    hosts = malloc((size_t)size * MPI_MAX_PROCESSOR_NAME);
    host = calloc(1, MPI_MAX_PROCESSOR_NAME);
    MPI_Get_processor_name(host, &length);
    MPI_Allgather(host, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, hosts, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD);
}

static void print_heading(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    printf("%s\n%d tasks on %d hosts\n\n", version, size, host_count());
    printf("%9s  %-20s%-20s%s\n", "", "  ping-pong, one pod", "   ping-pong, two pods", "   allreduce, all");
    printf("%9s%10s %9s%10s %9s%10s %9s\n", "bytes", "us", "MB/s", "us", "MB/s", "us", "MB/s");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    refuse_to_run_alone();
    gather_hosts();
    sent = malloc(LARGEST);
    received = malloc(LARGEST);
    for (size_t i = 0; i < LARGEST / sizeof(double); i++)
        ((double *)sent)[i] = rank;
    if (rank == 0)
        print_heading();
    for (int bytes = 8; bytes <= LARGEST; bytes *= 8) {
        if (rank == 0)
            printf("%9d", bytes);
        print_ping_pong(partner_on(1), bytes);
        print_ping_pong(partner_on(0), bytes);
        const double taken = time_of(allreduce, 0, bytes);
        if (rank == 0) {
            printf("%10.2f %9.1f\n", taken, bytes / taken);
            fflush(stdout);
        }
        if (((double *)received)[0] != (size - 1) * size / 2.0)
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
