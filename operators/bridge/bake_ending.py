"""How a bake has ended, in the artist's words and as an exit code (docs/command-line.md)."""

from .bake_status import BakeStatus
from .report import exit_code, sentence
from .solver_process import SolverProcess


def say_the_end(status: BakeStatus, process: SolverProcess | None) -> None:
    """Set the status to how the bake has ended; `process` is None where it ended before there was one."""
    code = None if process is None else process.returncode
    status.running, status.stage, status.eta = False, "", None
    if code == 0:
        status.exit_code, status.progress = 0, 1.0
        status.message = f"Baked frames {status.first} to {status.last}."
    elif status.stopping and status.exit_code in (0, 7):
        status.exit_code = 7
        kept = f"finished frames are kept up to frame {status.frame}. Resume goes on from there."
        status.message = f"Stopped; {kept}" if status.frame else "Stopped before a new frame was finished."
    elif process is not None and process.failure is not None:
        status.message, status.exit_code = sentence(process.failure), exit_code(process.failure)
    elif process is not None and not status.message:
        # Linux ends with SIGKILL what takes the last of the memory
        status.exit_code = 6 if code == -9 else 5
        hint = " The memory may be full: lower the resolution." if code == -9 else ""
        status.message = process.death_notice() + hint + " Finished frames are kept."
