# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugins of one scheduler profile at one extension point: which are enabled, with which weight, which are not.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PluginSet"]


class PluginSet:
    """A view of `profiles[].plugins.<point>`; what is changed stands in the profile after `write`."""

    def __init__(self, profile: dict[str, Any], point: str) -> None:
        self._profile = profile
        self._point = point
        plugins = profile.get("plugins")
        found = plugins.get(point) if isinstance(plugins, dict) else None
        self._given = found if isinstance(found, dict) else {}
        self.enabled: list[dict[str, Any]] = self._list("enabled")
        self.disabled: list[dict[str, Any]] = self._list("disabled")

    def _list(self, name: str) -> list[dict[str, Any]]:
        value = self._given.get(name)
        return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

    def is_enabled(self, name: str) -> bool:
        """Whether the profile itself names the plugin as enabled."""
        return any(one.get("name") == name for one in self.enabled)

    def is_disabled(self, name: str) -> bool:
        """Whether the profile takes the plugin out of the defaults, by its name or all of them."""
        return any(one.get("name") in (name, "*") for one in self.disabled)

    def weight(self, name: str) -> int:
        """The weight of a plugin that the profile enables; absent and 0 mean 1."""
        return next((one.get("weight") or 1 for one in self.enabled if one.get("name") == name), 1)

    def enable(self, name: str, weight: int | None = None) -> None:
        """Enable a plugin behind those that are."""
        self.enabled.append({"name": name, **({} if weight is None else {"weight": weight})})

    def disable(self, name: str) -> None:
        """Take a plugin out of the defaults, unless it is."""
        if not self.is_disabled(name):
            self.disabled.append({"name": name})

    def forget(self, *names: str) -> None:
        """Name some plugins no more, neither as enabled nor as disabled."""
        self.enabled = [one for one in self.enabled if one.get("name") not in names]
        self.disabled = [one for one in self.disabled if one.get("name") not in names]

    def write(self) -> None:
        """Put the lists into the profile; what is empty, and was not there, does not come."""
        new = {
            name: value
            for name, value in (("enabled", self.enabled), ("disabled", self.disabled))
            if value or self._given.get(name) == []
        }
        if new == self._given:
            return
        plugins = self._profile.setdefault("plugins", {})
        if not isinstance(plugins, dict):
            return
        plugins[self._point] = new
        if not new:
            del plugins[self._point]
        if not plugins:
            del self._profile["plugins"]
