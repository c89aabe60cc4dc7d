# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""render: show the manifest that runs a static-Pod component with options, and the files that it names."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ._componentconfig._flags.component_flags import ComponentFlags
from ._componentconfig._schema.releases import minor_of
from ._componentconfig.check import check
from ._componentconfig.component_options import COMPONENT_OPTIONS, Options, read_options
from ._componentconfig.findings import Finding, bounded, refusing_levels
from ._componentconfig.load import Config, load
from ._componentconfig.option_check import OPTION_CHECK
from ._files import input_errors, read_file
from ._output import UnusableInput, complain, show_json
from ._static_pods.manifest import InvalidManifest, Manifest, read_manifest
from ._static_pods.manifest_folder import unusable_reasons
from ._static_pods.mounts import HostPath, host_path_problem, mount_findings
from ._static_pods.rendered_manifest import RenderedManifest, render

__all__ = ["render_manifest"]

_OK, _REFUSED = 0, 1
_WRITE = ":write"


def render_manifest(
    manifest_file: str, layers: Sequence[str], *, host_paths: Sequence[str], version: str, as_json: bool
) -> int:
    """Print the rendered manifest, and on standard error what is wrong or not judged, and where its files belong.

    Return 0, or 1 if the options cannot be applied. manifest_file: the init manifest. layers: the options, lowest
    first. host_paths: directories that may be mounted, with `:write` behind those that the component may write to.
    version: of the component, "" for that of the image, or the newest. Raises UnusableInput.
    """
    with input_errors(manifest_file):
        manifest = _read_init_manifest(manifest_file)
    with input_errors(layers[0]):
        config = load([(name, read_file(name)) for name in layers])
        options = _options_for(manifest, config)
        allowed = [_host_path(path) for path in host_paths]
        findings = _findings(manifest, config, options, allowed, version or manifest.release)
        for finding in findings:
            complain(str(finding))
        if any(finding.level in refusing_levels("policy") for finding in findings):
            return _REFUSED
        reloads_at = _minor(version or manifest.release)
        rendered = render(manifest, options, host_paths=allowed, reloads_at=reloads_at)
    if as_json:
        show_json(_as_dict(rendered))
        return _OK
    sys.stdout.write(rendered.manifest.source.decode())
    for name in rendered.files:
        complain(f"the file {name} belongs in {rendered.directory}")
    return _OK


def _read_init_manifest(name: str) -> Manifest:
    try:
        manifest = read_manifest(read_file(name), name)
    except InvalidManifest as error:
        raise UnusableInput(str(error)) from error
    if not manifest.component:
        raise UnusableInput(f"{name}: the Pod {manifest.name} runs no component that has options")
    if manifest.applied_options:
        raise UnusableInput(f"{name}: options are applied to it already: name the init manifest")
    reasons = unusable_reasons(manifest)
    if reasons:
        raise UnusableInput(reasons[0])
    return manifest


def _options_for(manifest: Manifest, config: Config) -> Options:
    """Return the options of a config. Raises UnusableInput for a config that is not this component's."""
    if config.data.get("kind") != COMPONENT_OPTIONS:
        raise UnusableInput(f"{config.document.file}: must be {COMPONENT_OPTIONS}, not {config.data.get('kind')}")
    options = read_options(config.data)
    if options.component != manifest.component:
        of_component = options.component or "no component"
        raise UnusableInput(
            f"{config.document.file}: has the options of {of_component}, and {manifest.file} runs {manifest.component}"
        )
    return options


def _minor(version: str) -> int | None:
    """Return the minor of a version, None if there is no version."""
    return minor_of(version) if version else None


def _host_path(text: str) -> HostPath:
    """Return a directory of an option. Raises UnusableInput."""
    host_path = HostPath(text.removesuffix(_WRITE), text.endswith(_WRITE))
    problem = host_path_problem(host_path)
    if problem:
        raise UnusableInput(f"--host-path {host_path.path}: {problem}")
    return host_path


def _findings(
    manifest: Manifest, config: Config, options: Options, allowed: Sequence[HostPath], version: str
) -> list[Finding]:
    findings = check(
        config,
        versions=[version] if version else [],
        flags=ComponentFlags(manifest.arguments),
        arguments=OPTION_CHECK,
    )
    return bounded(
        [*findings, *(config.document.locate(finding) for finding in mount_findings(manifest, options, allowed))]
    )


def _as_dict(rendered: RenderedManifest) -> dict[str, object]:
    return {
        "manifest": rendered.manifest.source.decode(),
        "options_hash": rendered.options_hash,
        "directory": rendered.directory,
        "files": {name: content.decode() for name, content in rendered.files.items()},
    }
