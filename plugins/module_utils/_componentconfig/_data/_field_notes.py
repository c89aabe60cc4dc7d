# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""What releases change in the meaning of fields as JSON."""

from __future__ import annotations

NOTES = r"""
[{"id":"events-without-limit","since":37,"component":"kubelet","kind":"KubeletConfiguration","field":"eventRecordQPS",
"condition":{"equals":0},"level":"meaning","danger":1,"before":
["5 events a second (the client library's default), bursts of eventBurst"],"after":["no limit"],"keep":
["5 keeps what the node does today (the release note names 50, the field's default)"]},{"id":"throttling-default",
"since":37,"component":"kubelet","kind":"KubeletConfiguration","field":"memoryThrottlingFactor","condition":{"absent":
true,"gateOn":"MemoryQoS"},"level":"default","before":["0.9"],"after":["unset: memory.high is not written"],"keep":
["memoryThrottlingFactor: 0.9 keeps it"]},{"id":"throttling-in-effect","since":37,"component":"kubelet","kind":
"KubeletConfiguration","field":"memoryThrottlingFactor","condition":{"written":true,"gateTurnsOn":"MemoryQoS"},
"level":"meaning","host":["the host has cgroup v2"],"before":["no effect: MemoryQoS is off by default"],"after":
["memory.high of Burstable and BestEffort containers is set, so they may be throttled; after a way",
"back, running containers keep memory.high until they restart"],"keep":["without the field nothing changes"]},{"id":
"throttling-needs-gate","since":37,"component":"kubelet","kind":"KubeletConfiguration","field":
"memoryThrottlingFactor","condition":{"written":true,"notEquals":0.9,"gateOff":"MemoryQoS"},"level":"refused",
"before":["accepted"],"after":["the kubelet does not start"]},{"id":"reservation-policy","since":37,"component":
"kubelet","kind":"KubeletConfiguration","field":"memoryReservationPolicy","condition":{"equals":"TieredReservation",
"gateTurnsOn":"MemoryQoS"},"level":"accepted","before":["refused unless MemoryQoS was switched on"],"after":
["accepted and in effect: MemoryQoS is on by default"]},{"id":"mode-left-out","since":37,"component":"kube-proxy",
"kind":"KubeProxyConfiguration","field":"mode","condition":{"absent":true},"level":"warning","host":
["the host runs Linux"],"before":["iptables, without a word"],"after":
["iptables, with a warning: a later release takes nftables"],"keep":["mode: iptables keeps it"]},{"id":"mode-ipvs",
"since":37,"component":"kube-proxy","kind":"KubeProxyConfiguration","field":"mode","condition":{"equals":"ipvs"},
"level":"deprecated","before":["deprecated since 1.35"],"after":
["deprecated, behind the gate KubeProxyIPVS (on; planned: off in 1.40, locked off in 1.43)"]},{"id":"node-port-words",
"since":37,"component":"kube-proxy","kind":"KubeProxyConfiguration","field":"nodePortAddresses","condition":{"anyOf":
[{"contains":"localhost"},{"contains":"all"},{"contains":"primary","moreThan":1}]},"level":"accepted","before":
["CIDRs, or primary alone"],"after":["CIDRs, primary, localhost and all, in any mix"]},{"id":"nftables-netlink",
"since":37,"component":"kube-proxy","field":"mode","gate":"NFTablesNetlink","condition":{"equals":"nftables"},"level":
"behavior","before":["rules are read through the nft program"],"after":["through netlink"]},{"id":"conntrack-cap",
"since":36,"component":"kube-proxy","kind":"KubeProxyConfiguration","field":"conntrack.maxPerCore","condition":
{"notEquals":0},"level":"meaning","host":["the host has many cores"],"before":["the value times the number of cores"],
"after":["at most 1048576 in all"],"keep":["conntrack.maxPerCore: 0 leaves the host's value alone"]},{"id":
"cgroup-driver","since":38,"component":"kubelet","kind":"KubeletConfiguration","field":"cgroupDriver","condition":
{"written":true},"level":"refused","planned":1,"before":
["used where the runtime has no RuntimeConfig (containerd 1.7)"],"after":
["removed with its fallback; the kubelet does not start with a runtime that lacks RuntimeConfig:",
"containerd 2.0 or CRI-O 1.28 at least"]}]
"""
