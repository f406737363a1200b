"""Rules that other packages bring, through the entry point group `playhead.rules`.

Law: reads what is installed, once, and checks it; whoever judges asks for it. An entry point names a `Rule`, a list
of them, or a function without arguments that returns either.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter

from playhead.errors import SetupError
from playhead.rules.rule import Rule

GROUP = "playhead.rules"


@lru_cache(maxsize=1)
def installed_rules() -> tuple[Rule, ...]:
    """The rules of all installed plugins. Raises `SetupError` naming the plugin that does not fit."""
    return tuple(rule for point in entry_points(group=GROUP) for rule in rules_of(point))


def rules_of(point: EntryPoint) -> tuple[Rule, ...]:
    """The rules that one entry point brings. Raises `SetupError`."""
    package = point.dist.name if point.dist is not None else "an unknown package"
    name = f"the rule plugin {point.name!r} of {package} ({point.value})"
    try:
        given = point.load()
    except Exception as error:
        raise SetupError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    return as_rules(given, name)


def named_rules(name: str) -> tuple[Rule, ...]:
    """The rules behind `module:name`. Raises `SetupError`."""
    return as_rules(named(name, "rules"), f"{name!r}")


def named(name: str, what: str) -> object:
    """What stands behind `module:name`; `what` it is to be stands in errors. Raises `SetupError`."""
    module, colon, attribute = name.partition(":")
    if not module or not colon or not attribute:
        raise SetupError(f"{what} are named as MODULE:NAME, acme.{what}:{what.upper()} say, not {name!r}")
    try:
        return attrgetter(attribute)(import_module(module))
    except (ImportError, AttributeError) as error:
        raise SetupError(f"the {what} {name!r} cannot be loaded: {error}") from None
    except SystemExit as error:
        said = f"its module ends the process when it is imported (exit code {error.code})"
        raise SetupError(f"the {what} {name!r} cannot be loaded: {said}") from None
    except Exception as error:
        # whatever a module of the user's raises is the user's to mend
        raise SetupError(f"the {what} {name!r} cannot be loaded: {type(error).__name__}: {error}") from error


def as_rules(given: object, name: str) -> tuple[Rule, ...]:
    """What a plugin or a module offers, as rules. Raises `SetupError` that begins with `name`."""
    if callable(given) and not isinstance(given, Rule):
        try:
            given = given()
        except TypeError as error:
            raise SetupError(
                f"{name} is a function that needs arguments ({error}); make it a rule with @rule"
            ) from None
    found = [given] if isinstance(given, Rule) else given
    if not isinstance(found, list | tuple) or not all(isinstance(rule, Rule) for rule in found):
        raise SetupError(f"{name} gives {given!r}; it should give a Rule, or a list of them, made with @rule")
    return tuple(found)
