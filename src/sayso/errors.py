"""The errors that Sayso raises. Each message says what is wrong, where, and how to fix it."""

from __future__ import annotations

from typing import ClassVar, Literal


class SaysoError(Exception):
    """Base of all errors with a message meant for the user: shown as one line, without a traceback."""


class AbsentError(SaysoError):
    """Something that Sayso can do without is not on this machine."""

    LACKS: ClassVar[Literal["data", "program"]]


class AbsentDataError(AbsentError):
    """A data set or recordings are not on this machine."""

    LACKS = "data"


class AbsentProgramError(AbsentError):
    """A program or a package is not on this machine."""

    LACKS = "program"


class DomainError(SaysoError):
    """A domain or scene file has mistakes: one finding for each, with file, line, field and remedy."""

    SHOWN = 20  # findings in the message

    @property
    def findings(self) -> tuple[str, ...]:
        """All findings, one line each."""
        return tuple(str(finding) for finding in self.args)

    def __str__(self) -> str:
        """A single finding as it is; of several, their number and the first of them, one line each."""
        findings = self.findings
        if len(findings) < 2:
            return "".join(findings)
        more = [f"… and {len(findings) - self.SHOWN} more"] if len(findings) > self.SHOWN else []
        return "\n".join([f"{len(findings)} mistakes:", *findings[: self.SHOWN], *more])


class ModelError(SaysoError):
    """A model file is missing, or differs from the one that the manifest lists."""


class AudioError(SaysoError):
    """A sound file or device cannot be used."""


class AbsentPackageError(ModelError, AbsentProgramError):
    """The package or the weights of a model are not installed."""


class AbsentVoiceError(AudioError, AbsentProgramError):
    """A synthesiser is not installed."""


class GroundingError(SaysoError):
    """A picture or a phrase cannot be used to find things."""


class SimulationError(SaysoError):
    """The embedded simulation cannot run or render here."""


class SkillPluginError(SaysoError):
    """A skill of one's own cannot be used: it cannot be imported, or does not fit the home."""


class RosError(SaysoError):
    """ROS, its interfaces or the running nodes are unavailable."""


class AbsentGazeboError(RosError, AbsentProgramError):
    """There is no Gazebo on this machine."""


class MemoryFileError(SaysoError):
    """The file of the memory or of the agenda cannot be read or written: locked, disk full, no permission, another version or program."""


class MemoryDamagedError(MemoryFileError):
    """The file of the memory or of the agenda is damaged."""
