"""Everything that can go wrong, each with its own exit code and one sentence for the artist."""


class SolverError(Exception):
    """A failure that the artist can act on.

    The message says what happened in plain words; `body`, `place` and `frame` say where, `remedy` what to do.
    `exit_code` is what the command line returns (docs/command-line.md lists them all).
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        body: str = "",
        place: str = "",
        frame: int | None = None,
        remedy: str = "",
    ) -> None:
        self.message, self.body, self.place, self.frame, self.remedy = message, body, place, frame, remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        where = [f"'{self.body}'" if self.body else "", self.place, f"frame {self.frame}" if self.frame is not None else ""]
        prefix = ", ".join(part for part in where if part)
        sentence = f"{prefix}: {self.message}" if prefix else self.message
        return f"{sentence} {self.remedy}".strip()


class PlacedWarning(str):
    """A sentence of a bake that goes on, on something at a place: `body` and `place` as a SolverError's."""

    __slots__ = ("body", "place")
    body: str
    place: str

    def __new__(cls, sentence: str, *, body: str, place: str) -> "PlacedWarning":
        """The sentence says where too, for who reads no more than that."""
        made = super().__new__(cls, sentence)
        made.body, made.place = body, place
        return made


class MissingBlendError(SolverError):
    """The .blend that was to be baked is not there; Blender itself carries on with its default scene."""

    exit_code = 3


class SceneError(SolverError):
    """The scene cannot be simulated as it is: nothing to bake, NaN, no volume, an empty frame range."""

    exit_code = 4


class MeshingError(SceneError):
    """The body cannot be filled with tetrahedra by the chosen method."""


class StepError(SolverError):
    """The time step could not be solved, even at the smallest substep."""

    exit_code = 5


class ResourceError(SolverError):
    """Out of disk or memory, or a folder that cannot be written."""

    exit_code = 6


class Cancelled(SolverError):
    """Stopped by the artist or by the farm; everything finished so far is kept and can be resumed."""

    exit_code = 7


class VersionError(SolverError):
    """The cache or the preset was written by a version that this one cannot read or continue."""

    exit_code = 8


class CacheError(SolverError):
    """A cached frame is missing or damaged, or the cache belongs to another scene."""

    exit_code = 9


class UnsupportedExportError(SolverError):
    """This Blender was built without the exporter that was asked for."""

    exit_code = 10
