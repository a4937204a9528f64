"""The domain file: `load_domain` reads and checks it, `model` describes its contents."""

from sayso.domain.load import load_domain
from sayso.domain.model import Domain

__all__ = ["Domain", "load_domain"]
