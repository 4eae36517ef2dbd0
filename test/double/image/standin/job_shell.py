"""The part of a job that runs on one rank: its tasks, their environment, their CPUs.

Checked: src/shell/ (affinity.c, evlog.c, env-expand, task.c), and the environment of tasks of Flux 0.88.
"""

import base64
import errno
import os
import shutil
import signal
from collections.abc import Callable

from .attributes import Attributes
from .errors import Refusal, RpcError
from .job_files import FileError, JobFiles, NoReader
from .jobid import encode_f58
from .processes import Process, exit_code, start_failure_code
from .reactor import Reactor, Timer
from .resources import core_cpus
from .rpc import Answer
from .shell_rc import output_of, with_initrc, with_rc_files
from .stage_in import stage

LONGEST_LINE = 1 << 20
# Between two looks for a pipe's reader.
READER_SECONDS = 0.02

Emit = Callable[[dict], None]


class JobShell:
    """Starts the tasks of a job on this rank, and reports their output and exit codes by `emit`."""

    def __init__(self, reactor: Reactor, request: dict, attributes: Attributes, emit: Emit):
        self.reactor, self.request, self.emit = reactor, request, emit
        self.local_uri, rundir = str(attributes.get("local-uri")), str(attributes.get("rundir"))
        self.initrc = str(attributes.get("conf.shell_initrc"))
        self.tasks: dict[int, Process] = {}
        self.folder = f"{rundir}/jobtmp-{request['shell_rank']}-{encode_f58(request['id'])}"
        self.files = JobFiles(request, self.folder, request["cwd"])
        self.remaining = len(request["tasks"])
        # While a named pipe has no reader.
        self.waiting: Timer | None = None
        self.partial: dict[tuple[int, str], bytes] = {}
        self.on_lost: Callable[[], None] = lambda: None
        self.ask_lead: Callable[[str, dict, Answer], object] = lambda _topic, _payload, _answer: None
        self.shell_environment: dict[str, str] = request["env"]

    def start(self) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.files.cwd = self.usable_folder(self.request["cwd"])
        tasks = self.request["tasks"]
        try:
            environment, self.request["shell"] = with_initrc(self.initrc, self.request["env"], self.request["shell"])
            self.shell_environment = with_rc_files(environment)
            self.choose_output()
        except Refusal as error:
            self.emit({"failed": tasks[0], "code": 1, "text": error.message})
            return
        self.stage_in([name for name in self.request["shell"].get("stage-in", {}).get("names", "").split(",") if name])

    def stage_in(self, names: list[str]) -> None:
        """Gets the files of archives, one archive after the other."""
        if not names:
            self.open_files()
            return

        def got(answer: dict | None, error: RpcError | None, _more: bool) -> None:
            if error is None and answer is not None:
                stage(answer["files"], self.folder)
                self.stage_in(names[1:])
                return
            rank, why = self.request["shell_rank"], error.text if error else ""
            for text in (f"stage-in: {why}", "plugin 'stage-in': shell.init failed"):
                self.emit({"log": f"flux-shell[{rank}]: ERROR: {text}"})
            text = "shell_init: No such file or directory"
            self.emit({"log": f"flux-shell[{rank}]: FATAL: {text}"})
            self.emit({"failed": self.request["tasks"][0], "code": 1, "text": text})

        self.ask_lead("content.files", {"name": names[0]}, got)

    def open_files(self) -> None:
        tasks = self.request["tasks"]
        try:
            content = self.files.input()
            for index, task in enumerate(tasks):
                self.files.open(task, index)
        except NoReader:
            self.waiting = self.reactor.after(READER_SECONDS, self.open_files)
            return
        except FileError as error:
            for text in error.log:
                self.emit({"log": f"flux-shell[{self.request['shell_rank']}]: ERROR: {text}"})
            self.emit({"failed": tasks[0], "code": error.code, "text": str(error)})
            return
        self.waiting = None
        self.start_tasks(content)

    def start_tasks(self, content: bytes | None) -> None:
        for index, task in enumerate(self.request["tasks"]):
            try:
                self.tasks[task] = self.start_task(task, index, self.files.cwd)
                if content is not None:
                    self.tasks[task].write(content, True)
            except OSError as error:
                self.files.close()
                reason = os.strerror(error.errno or errno.EIO)
                self.emit(
                    {
                        "failed": task,
                        "code": start_failure_code(error),
                        "text": f"task {task} (host {self.request['host']}): start failed:"
                        f" {self.request['command'][0]}: {reason}",
                    }
                )
                return

    def choose_output(self) -> None:
        """The files of FLUX_SHELL_RC_PATH may change the output. The first shell tells where it goes."""
        output = output_of(self.request["env"], self.request["shell_rank"], self.request["shell"])
        if output is not None:
            self.request["shell"] = {**self.request["shell"], "output": output}
        if self.request["shell_rank"] == 0 and "output" in self.request["shell"]:
            self.emit({"output": self.request["shell"]["output"]})

    def usable_folder(self, cwd: str) -> str:
        """The working directory. If it doesn't exist on this rank, /tmp and a message."""
        if os.path.isdir(cwd) and os.access(cwd, os.X_OK):
            return cwd
        reason = "No such file or directory" if not os.path.exists(cwd) else "Permission denied"
        self.emit(
            {
                "log": f"flux-shell[{self.request['shell_rank']}]: ERROR: host {self.request['host']}:"
                f" Could not change dir to {cwd}: {reason}. Going to /tmp instead"
            }
        )
        return "/tmp"

    def start_task(self, task: int, index: int, cwd: str) -> Process:
        env = self.environment(task, index)
        argv = list(self.request["command"])
        path = find_program(argv[0], env.get("PATH"), cwd)
        process = Process(
            self.reactor,
            [path, *argv[1:]],
            env,
            cwd,
            lambda stream, data: self.output(task, stream, data),
            lambda status: self.ended(task, status),
            self.cpus(index),
        )
        return process

    def environment(self, task: int, index: int) -> dict[str, str]:
        request = self.request
        f58 = encode_f58(request["id"])
        return {
            **self.shell_environment,
            "FLUX_URI": self.local_uri,
            "FLUX_KVS_NAMESPACE": f"job-{request['id']}",
            "FLUX_JOB_ID_PATH": f"/{f58}",
            "FLUX_JOB_SIZE": str(request["ntasks"]),
            "FLUX_JOB_NNODES": str(request["nnodes"]),
            "FLUX_JOB_ID": f58,
            "FLUX_TASK_LOCAL_ID": str(index),
            "FLUX_TASK_RANK": str(task),
            "FLUX_JOB_TMPDIR": self.folder,
            "FLUX_TERMINUS_SESSION": "0",
            **self.gpu_environment(index),
        }

    def gpu_environment(self, index: int) -> dict[str, str]:
        """Checked: src/shell/gpubind.c. Only with `on`, a job without GPUs gets the number -1."""
        mode, gpus = self.request["shell"].get("gpu-affinity", "on"), self.request["gpus"]
        if mode == "off":
            return {}
        if mode == "per-task":
            share = len(gpus) // len(self.request["tasks"])
            shown = ",".join(str(gpu) for gpu in gpus[index * share : (index + 1) * share])
        else:
            shown = ",".join(str(gpu) for gpu in gpus) or "-1"
        return {"CUDA_VISIBLE_DEVICES": shown, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}

    def cpus(self, index: int) -> list[int] | None:
        """The CPUs of a task. With cpu-affinity `on`, it gets all cores of the shell; with `per-task`, its share."""
        mode = self.request["shell"].get("cpu-affinity", "on")
        machine = core_cpus()
        cores = [core for core in self.request["cores"] if core < len(machine)]
        if mode == "off" or not cores or len(cores) < len(self.request["cores"]):
            return None
        if mode == "per-task" and len(cores) >= len(self.request["tasks"]):
            share = len(cores) // len(self.request["tasks"])
            cores = cores[index * share : (index + 1) * share]
        return sorted(cpu for core in cores for cpu in machine[core])

    def output(self, task: int, stream: str, data: bytes) -> None:
        """Passes on complete lines. If the job is unbuffered, passes on everything."""
        data = self.partial.pop((task, stream), b"") + data
        end = len(data) if self.request["unbuffered"] or len(data) > LONGEST_LINE else data.rfind(b"\n") + 1
        if data[end:]:
            self.partial[(task, stream)] = data[end:]
        self.pass_on(task, stream, data[:end])

    def pass_on(self, task: int, stream: str, data: bytes) -> None:
        encoded = base64.b64encode(data).decode()
        index = self.request["tasks"].index(task)

        def send(path: str) -> None:
            self.emit({"path": path, "data": encoded})

        if data and not self.files.write(task, index, stream, data, send):
            self.emit({"task": task, "stream": stream, "data": encoded})

    def ended(self, task: int, status: int) -> None:
        for stream in ("stdout", "stderr"):
            self.pass_on(task, stream, self.partial.pop((task, stream), b""))
        self.remaining -= 1
        if self.remaining == 0:
            self.files.close()
        self.emit(
            {"exited": task, "code": exit_code(status), "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}
        )
        if self.remaining == 0:
            shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, data: bytes, last: bool) -> None:
        if "stdin" in self.request["shell"].get("input", {}):
            return
        for process in self.tasks.values():
            process.write(data, last)

    def kill(self, number: int) -> None:
        if self.waiting:
            self.waiting.cancel()
            self.waiting = None
            self.files.close()
            task = self.request["tasks"][0]
            self.emit({"failed": task, "code": 128 + number, "text": "the shell was killed before it had its pipes"})
        for process in self.tasks.values():
            process.kill(number)

    def kill_all(self) -> None:
        self.kill(signal.SIGKILL)

    def lose_broker(self) -> None:
        """Ends the shell when rc3 has unloaded modules that it needs."""
        self.on_lost()
        self.kill_all()


def find_program(name: str, path: str | None, cwd: str) -> str:
    """Finds a program as execvp does, with PATH of the task's environment. Raises OSError."""
    if "/" in name:
        full = os.path.join(cwd, name)
        if not os.path.exists(full):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if os.path.isdir(full) or not os.access(full, os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return name
    found = shutil.which(name, path=path or "/bin:/usr/bin")
    if not found:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return found
