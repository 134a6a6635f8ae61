"""What went wrong, as one sentence for the artist."""

import traceback

from ...solver.errors import ResourceError, SolverError


def sentence(error: BaseException) -> str:
    """Return one clear sentence for any error; an unexpected one also leaves its trace on the terminal."""
    if isinstance(error, SolverError):
        return str(error)
    if isinstance(error, OSError):
        return str(resource_error(error))
    if isinstance(error, MemoryError):
        return "Out of memory. Lower the resolution of the bodies."
    traceback.print_exception(error)
    return f"Dollop met an unexpected {type(error).__name__}: {error}. The terminal shows where."


def exit_code(error: BaseException) -> int:
    """Return the exit code of docs/command-line.md for any error."""
    if isinstance(error, SolverError):
        return error.exit_code
    return ResourceError.exit_code if isinstance(error, OSError | MemoryError) else 1


def resource_error(error: OSError) -> ResourceError:
    """Return an error of the operating system as a sentence that names the file and the way out."""
    reason = error.strerror or type(error).__name__
    remedy = "Free some space or choose another cache folder." if error.errno == 28 else "Choose a folder that can be written."
    return ResourceError(f"{reason}.", place=str(error.filename or "the cache folder"), remedy=remedy)
