# SPDX-License-Identifier: Apache-2.0
"""Which key of a YAML file stands on which line?

A `Section` is a mapping whose values are taken key by key; each refusal names
file, line and key, and a key that nobody took is refused.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Sequence

import yaml

from gleaner_campaign.refusal import Refusal, at


def number_of(text: str) -> Optional[float]:
    """What a person means by a number: YAML 1.1 takes 1e-5 for text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


class Section:
    """A mapping of a YAML file."""

    def __init__(self, file: str, node: yaml.MappingNode, path: str = "") -> None:
        self.file = file
        self._path = path
        self._line = node.start_mark.line + 1
        self._nodes: dict[str, tuple[yaml.Node, int]] = {}
        self._taken: set[str] = set()
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if name in self._nodes:
                raise at(file, line, path + name, "given twice", "remove one")
            self._nodes[name] = (value, line)

    def __contains__(self, key: str) -> bool:
        return key in self._nodes

    def keys(self) -> list[str]:
        """In the order of the file."""
        return list(self._nodes)

    def wrong(self, key: str, problem: str, remedy: str) -> Refusal:
        """A refusal of this key; of the mapping itself where it lacks the key."""
        line = self._nodes[key][1] if key in self._nodes else self._line
        return at(self.file, line, self._path + key, problem, remedy)

    def section(self, key: str) -> "Section":
        """A mapping within this one."""
        node = self._node(key)
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(key, "is not a mapping", "write one 'key: value' a line")
        return Section(self.file, node, f"{self._path}{key}.")

    def is_section(self, key: str) -> bool:
        return isinstance(self._nodes[key][0], yaml.MappingNode)

    def text(self, key: str, default: Optional[str] = None) -> str:
        if key not in self._nodes and default is not None:
            return default
        node = self._node(key)
        if not isinstance(node, yaml.ScalarNode):
            raise self.wrong(key, "is not a word", f"write '{key}: WORD'")
        return str(node.value)

    def one_of(
        self, key: str, words: Sequence[str], default: Optional[str] = None
    ) -> str:
        word = self.text(key, default)
        if word not in words:
            raise self.wrong(key, f"is '{word}'", "expected " + ", ".join(words))
        return word

    def number(
        self,
        key: str,
        default: Optional[float] = None,
        above: float = -math.inf,
    ) -> float:
        """A finite number; more than `above`."""
        if key not in self._nodes and default is not None:
            return default
        text = self.text(key)
        value = number_of(text)
        if value is None or value <= above:
            bound = "" if above == -math.inf else f" above {above:g}"
            raise self.wrong(key, f"is '{text}'", f"expected a number{bound}")
        return value

    def whole(
        self, key: str, default: Optional[int] = None, least: Optional[int] = None
    ) -> int:
        value = self.number(key, None if default is None else float(default))
        if value != int(value) or (least is not None and value < least):
            bound = "" if least is None else f" of at least {least}"
            raise self.wrong(
                key, f"is '{value:g}'", f"expected a whole number{bound}"
            )
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        word = self.one_of(key, ("true", "false"), "true" if default else "false")
        return word == "true"

    def items(self, key: str) -> list[Any]:
        """A list of words and numbers."""
        node = self._node(key)
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise self.wrong(key, "is not a list", f"write '{key}: [A, B]'")
        found = []
        for item in node.value:
            if not isinstance(item, yaml.ScalarNode):
                raise self.wrong(
                    key, "has an item that is no word or number", "name each choice"
                )
            found.append(yaml.safe_load(yaml.serialize(item)))
        return found

    def items_or_one(self, key: str) -> list[Any]:
        """A list, or one word or number."""
        node = self._node(key)
        if isinstance(node, yaml.ScalarNode):
            return [yaml.safe_load(yaml.serialize(node))]
        return self.items(key)

    def end(self) -> None:
        """Refuse what was not asked for."""
        for key in self._nodes:
            if key not in self._taken:
                known = ", ".join(sorted(self._taken)) or "none"
                raise self.wrong(key, "is not known here", f"known keys: {known}")

    def maybe(self, key: str, read: Callable[[str], Any]) -> Any:
        """None where the key is absent."""
        self._taken.add(key)
        return read(key) if key in self._nodes else None

    def _node(self, key: str) -> yaml.Node:
        self._taken.add(key)
        if key not in self._nodes:
            raise self.wrong(key, "is missing", f"add '{key}: …'")
        return self._nodes[key][0]


def load(file: str) -> Section:
    """The mapping that a file consists of."""
    try:
        with open(file, encoding="utf-8") as stream:
            node = yaml.compose(stream, Loader=yaml.SafeLoader)
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror} [name another file]") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        why = getattr(error, "problem", None) or str(error)
        raise Refusal(f"{file}:{line}: not YAML: {why} [correct it]") from error
    if not isinstance(node, yaml.MappingNode):
        raise at(file, 1, "(file)", "is not a mapping", "see gleaner-campaign(1)")
    return Section(file, node)
