# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Rules about the values of flags as JSON."""

from __future__ import annotations

__all__ = ["RULES"]

RULES = r"""
{"kubelet":{"node-labels":[{"rule":"key-namespace-allowed","otherwise":"exit","reservedSuffixes":["kubernetes.io",
"k8s.io"],"allowedKeys":["kubernetes.io/hostname","topology.kubernetes.io/zone","topology.kubernetes.io/region",
"failure-domain.beta.kubernetes.io/zone","failure-domain.beta.kubernetes.io/region",
"beta.kubernetes.io/instance-type","node.kubernetes.io/instance-type","kubernetes.io/os","kubernetes.io/arch",
"beta.kubernetes.io/os","beta.kubernetes.io/arch"],"allowedNamespaceSuffixes":["kubelet.kubernetes.io",
"node.kubernetes.io"]},{"rule":"key-is-qualified-name","since":25,"otherwise":"exit"},{"rule":"value-is-label-value",
"since":25,"otherwise":"exit"},{"rule":"bad-key-or-value","last":24,"otherwise":"registrationRefusedByAPI"},{"rule":
"pairs-split-by","otherwise":"lastWins","values":[",","="]}],"cloud-provider":[{"rule":"value","last":22,"otherwise":
"exit","values":["","external","aws","azure","gce","openstack","vsphere"],"deprecatedValues":["aws","azure","gce",
"openstack","vsphere"]},{"rule":"value","since":23,"last":25,"otherwise":"exit","values":["","external","aws","azure",
"gce","openstack","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["aws","azure","gce","openstack",
"vsphere"]},{"rule":"value","since":26,"last":26,"otherwise":"exit","values":["","external","aws","azure","gce",
"vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["aws","azure","gce","vsphere"]},{"rule":"value","since":
27,"last":28,"otherwise":"exit","values":["","external","azure","gce","vsphere"],"gate":"DisableCloudProviders",
"deprecatedValues":["azure","gce","vsphere"]},{"rule":"value","since":29,"last":29,"otherwise":"exit","values":["",
"external","azure","gce","vsphere"],"gate":"DisableCloudProviders","deprecatedValues":["azure","gce","vsphere"]},
{"rule":"value","since":30,"last":30,"otherwise":"exit","values":["","external","gce"],"gate":"DisableCloudProviders",
"deprecatedValues":["gce"]},{"rule":"value","since":31,"otherwise":"exit","values":["","external"]}],"node-ip":
[{"rule":"count","otherwise":"exit","values":[1,2]},{"rule":"two-are-of-different-families","otherwise":"exit"},
{"rule":"two-need-gate","last":22,"otherwise":"exit","gate":"IPv6DualStack"},{"rule":"two-not-with-cloud-provider",
"last":26,"otherwise":"exit","values":[""],"of":"cloud-provider"},{"rule":"two-not-with-cloud-provider","since":27,
"last":29,"otherwise":"exit","values":[""],"gatedValues":{"external":"CloudDualStackNodeIPs"},"of":"cloud-provider"},
{"rule":"two-not-with-cloud-provider","since":30,"otherwise":"exit","values":["","external"],"of":"cloud-provider"},
{"rule":"two-not-unspecified","otherwise":"exit","refused":["0.0.0.0","::"]},{"rule":"unparsable","otherwise":
"ignoredWithLog"},{"rule":"not-of","otherwise":"nodeStatusUpdateFails","values":[""],"of":"cloud-provider","refused":
["loopback","multicast","linkLocalUnicast"]}],"register-with-taints":[{"rule":"grammar","last":22,"otherwise":"exit",
"effects":["NoSchedule","PreferNoSchedule","NoExecute"],"removals":false},{"rule":"grammar","since":23,"otherwise":
"exit","effects":["NoSchedule","PreferNoSchedule","NoExecute"]},{"rule":"effect-required","since":23,"otherwise":
"exit"},{"rule":"unique-key-and-effect","since":23,"otherwise":"exit"},{"rule":"trailing-dash","since":23,"otherwise":
"silentlyDropped"},{"rule":"key-is-qualified-name","last":22,"otherwise":"exit","removals":false},{"rule":
"key-is-qualified-name","since":23,"otherwise":"exit"}],"hostname-override":[{"rule":"normalised","otherwise":"exit"},
{"rule":"node-name-is-dns1123-subdomain","otherwise":"registrationRefusedByAPI"}],"container-runtime":[{"rule":
"value","last":23,"otherwise":"exit","values":["docker","remote"]},{"rule":"value","since":24,"last":26,"otherwise":
"exit","values":["remote"]}],"container-runtime-endpoint":[{"rule":"url","otherwise":"exit","schemes":["unix",""]}],
"config-dir":[{"rule":"needs-env","since":28,"last":29,"otherwise":"exitWithoutVariable","env":
"KUBELET_CONFIG_DROPIN_DIR_ALPHA"}],"exit-on-lock-contention":[{"rule":"needs-flag","otherwise":"exit","needs":
["lock-file"]}],"seccomp-default":[{"rule":"needs-gate","since":22,"last":26,"otherwise":"exit","gate":
"SeccompDefault"}],"dynamic-config-dir":[{"rule":"needs-gate","last":23,"otherwise":"exit","gate":
"DynamicKubeletConfig"}],"image-credential-provider-config":[{"rule":"pair","otherwise":"exit","needs":
["image-credential-provider-bin-dir"]}]}}
"""
