# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of machines as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"address":{"optional":1,"description":
["The address of the host, an IP address or a DNS name; by default its host in Ansible's inventory, or",
"the Machine's name."]},"port":{"type":"int32","optional":1,"default":22,"description":
["The port of the SSH server."]},"user":{"optional":1,"default":"root","description":["The SSH user."]},"become":
{"type":"bool","optional":1,"nullable":1,"default":true,"description":
["Whether a user other than root becomes root with sudo."]},"kubeletConfiguration":{"type":"map<any>","optional":1,
"description":["Fields of the init KubeletConfiguration, in addition to those that follow from the Cluster."]},
"kubeletFlags":{"type":"map<string>","optional":1,"description":
["Flags of the kubelet without the dashes, for example node-ip, in addition to those of the provider."]},
"containerRuntimeConfig":{"optional":1,"description":
["The text of the container runtime's config file; by default that of the package."]},"cni":{"type":"object",
"optional":1,"nullable":1,"description":
["A CNI configuration for /etc/cni/net.d; by default that is left to the cluster."],"fields":{"name":{"description":
["The name of the network."]},"cniVersion":{"optional":1,"description":["The version of the CNI specification."]},
"plugins":{"type":"list<map<any>>","description":["The configuration of each plugin."]}}},"annotations":{"type":
"map<string>","optional":1,"description":["Free notes; nothing reads them."]},"metadata":{"type":"object",
"description":["The name and the labels of the object."],"fields":{"name":{"description":
["The name, a DNS-1123 subdomain."]},"labels":{"type":"map<string>","optional":1,"description":
["Labels for selectors and groups."]},"annotations":"annotations"}},"key":{"optional":1,"description":
["The armored OpenPGP key of the source, or the path of its file on the control machine."]},"kubelet":{"optional":1,
"default":"kubelet","description":["The name of the kubelet's package."]},"containerRuntime":{"optional":1,
"description":["The name of the container runtime's package; by default the runtime's name."]},"extra":{"type":
"list<string>","optional":1,"description":["More packages: the newest at creation, never updated."]},"spec":{"type":
"object","description":["The node as it should be."],"fields":{"cluster":{"optional":1,"description":
["The name of a Cluster; by default the only one that the files declare."]},"versions":{"type":"object","optional":1,
"description":["The versions of what runs on the host; without one, it is left alone."],"fields":{"kubelet":
{"optional":1,"description":["The version of the kubelet, for example 1.34.9."]},"containerRuntime":{"type":"object",
"optional":1,"nullable":1,"description":["The container runtime; without it, the one of the host is left alone."],
"fields":{"name":{"type":"enum","enum":["containerd","cri-o","docker"],"description":
["The runtime, as the Node reports it."]},"version":{"optional":1,"description":
["Its version; a prefix of what the Node reports is enough, for example \"1.7\". Without it, any","version."]}}}}},
"pool":{"optional":1,"description":
["The pool whose config the node gets. Excludes configSource; without both, the node has its init","config."]},
"configSource":{"type":"object","optional":1,"nullable":1,"description":
["The published bundle that the node gets. Excludes pool."],"fields":{"configMap":{"type":"object","description":
["The ConfigMap of the bundle."],"fields":{"namespace":{"description":["Its namespace."]},"name":{"description":
["Its name."]},"uid":{"optional":1,"description":
["Its UID; by default that of the ConfigMap that has the name now."]}}}}},"nodeLabels":{"type":"map<string>",
"optional":1,"description":["Labels that the Node must have; other labels of the Node are left alone."]},"taints":
{"type":"list<object>","optional":1,"description":
["Taints that the Node must have; other taints of the Node are left alone."],"fields":{"key":{"description":
["The key."]},"value":{"optional":1,"description":["The value."]},"effect":{"type":"enum","enum":["NoSchedule",
"PreferNoSchedule","NoExecute"],"description":["The effect."]}}},"providerConfig":{"type":"map<any>","description":
["What only the provider understands: an object with apiVersion and kind, for example DebianHost."]},"state":{"type":
"enum","optional":1,"enum":["Present","Absent"],"default":"Present","description":
["Absent deletes the machine; after that it can be taken out of the file."]}}}},"kinds":
{"provider.configok.dev/v1alpha1 BinaryHost":{"component":"machines","description":
["A host without packages: the kubelet, the runtime and the CNI plugins come from local archives."],"fields":
{"address":"address","port":"port","user":"user","become":"become","archives":{"type":"list<object>","description":
["The files on the control machine, one entry for each component and version."],"fields":{"component":{"type":"enum",
"enum":["kubelet","containerd","runc","cni"],"description":["What it is."]},"version":{"description":
["Its version; spec.versions of the Machine chooses the entry, for runc and cni the last one is used."]},"path":
{"description":
["The file: a tar archive, or the binary itself; a relative path begins where ansible-playbook runs."]},"sha256":
{"description":["Its SHA-256 checksum, 64 hexadecimal digits."]}}},"kubeletConfiguration":"kubeletConfiguration",
"kubeletFlags":"kubeletFlags","containerRuntimeConfig":"containerRuntimeConfig","cni":"cni"}},
"machines.configok.dev/v1alpha1 Cluster":{"component":"machines","description":
["What the Machines of a cluster share."],"fields":{"metadata":"metadata","spec":{"type":"object","description":
["The values of the cluster."],"fields":{"endpoint":{"optional":1,"description":
["The URL of the API server, as the kubelets reach it, for example https://10.0.0.10:6443."]},"kubernetesVersion":
{"optional":1,"description":
["The version of the control plane, for example 1.34.9; by default the API server is asked."]},"network":{"type":
"object","optional":1,"description":["The network of the cluster."],"fields":{"serviceCIDR":{"optional":1,
"description":["The addresses of Services; two, with a comma between them, for two address families."]},"dnsDomain":
{"optional":1,"description":["The clusterDomain of every kubelet, for example cluster.local."]},"clusterDNS":{"type":
"list<string>","optional":1,"description":["The clusterDNS of every kubelet: addresses of the DNS server."]}}}}}}},
"provider.configok.dev/v1alpha1 DebianHost":{"component":"machines","description":
["A host with apt: the kubelet and the container runtime are packages."],"fields":{"address":"address","port":"port",
"user":"user","become":"become","packages":{"type":"object","optional":1,"description":
["Where the packages come from, and what they are called."],"fields":{"source":{"optional":1,"description":
["A line of sources.list or a deb822 stanza; by default the host's own sources. {kubelet},",
"{kubeletMinor} and {runtime} stand for the wanted versions."]},"key":"key","kubelet":"kubelet","containerRuntime":
"containerRuntime","extra":"extra","hold":{"type":"bool","optional":1,"nullable":1,"default":true,"description":
["Whether the packages are held, so that upgrades of the host leave them alone."]}}},"kubeletConfiguration":
"kubeletConfiguration","kubeletFlags":"kubeletFlags","containerRuntimeConfig":"containerRuntimeConfig","cni":"cni"}},
"provider.configok.dev/v1alpha1 External":{"component":"machines","description":
["A host that playbooks of the user create and delete; a changed machine is replaced."],"fields":{"address":"address",
"port":"port","user":"user","become":"become","create":{"description":
["The path of the playbook that creates the host."]},"delete":{"description":
["The path of the playbook that deletes the host."]},"values":{"type":"map<any>","optional":1,"description":
["Free values, which both playbooks get."]},"provision":{"type":"bool","optional":1,"nullable":1,"default":true,
"description":["Whether the agent is installed on the new host; false for an image that has it."]}}},
"machines.configok.dev/v1alpha1 Machine":{"component":"machines","description":["The declarative spec of one Node."],
"fields":{"metadata":{"type":"object","description":["The name and the labels of the object."],"fields":{"name":
{"description":["The name of the Machine and of its Node, a DNS-1123 subdomain."]},"labels":{"type":"map<string>",
"optional":1,"description":
["Labels of the Machine, for selectors and groups; spec.nodeLabels are those of the Node."]},"annotations":
"annotations"}},"spec":"spec"}},"machines.configok.dev/v1alpha1 MachineSet":{"component":"machines","description":
["A template and a list of hosts, which are expanded into Machines."],"fields":{"metadata":"metadata","spec":{"type":
"object","description":["The template and the hosts."],"fields":{"selector":{"type":"object","optional":1,"nullable":
1,"description":["Which Machines belong to the set; the labels of the template must match."],"fields":{"matchLabels":
{"type":"map<string>","optional":1,"description":["Labels that the template's labels must have."]}}},"template":
{"type":"object","description":["What the Machines have in common."],"fields":{"metadata":{"type":"object","optional":
1,"description":["The metadata of the Machines."],"fields":{"labels":{"type":"map<string>","optional":1,"description":
["Labels of the Machines."]},"annotations":"annotations"}},"spec":"spec"}},"hosts":{"type":"list<map<any>>",
"description":["The hosts: name, labels (added to those of the template) and fields of the providerConfig, such as",
"address, which replace those of the template."]}}}}},"machines.configok.dev/v1alpha1 Provider":{"component":
"machines","description":
["A provider of one's own: the kind of its configs, and the Ansible role that changes hosts."],"fields":{"metadata":
"metadata","spec":{"type":"object","description":["The provider."],"fields":{"apiVersion":{"description":
["The apiVersion of the provider's configs, for example example.com/v1."]},"kind":{"description":
["The kind of the provider's configs, for example CloudHost."]},"role":{"description":
["The Ansible role, for example example.cloud.host, with the task files validate, plan, create, update",
"and delete."]},"capabilities":{"type":"object","optional":1,"description":
["What the provider can do with a machine."],"fields":{"create":{"type":"bool","optional":1,"nullable":1,"default":
true,"description":["Make a Node of a host."]},"delete":{"type":"bool","optional":1,"nullable":1,"default":true,
"description":["Reset the host."]},"kubelet":{"type":"bool","optional":1,"nullable":1,"default":true,"description":
["Change the version of the kubelet in place."]},"containerRuntime":{"type":"bool","optional":1,"nullable":1,
"default":true,"description":["Change the version of the container runtime in place."]},"containerRuntimeKind":
{"type":"bool","optional":1,"nullable":1,"default":false,"description":
["Change to another container runtime in place."]},"replace":{"type":"bool","optional":1,"nullable":1,"default":false,
"description":["Replace the host by another one."]}}}}}}},"provider.configok.dev/v1alpha1 RPMHost":{"component":
"machines","description":["A host with dnf: the kubelet and the container runtime are packages."],"fields":{"address":
"address","port":"port","user":"user","become":"become","packages":{"type":"object","optional":1,"description":
["Where the packages come from, and what they are called."],"fields":{"source":{"optional":1,"description":
["The section of a yum repository; by default the host's own repositories. {kubelet}, {kubeletMinor}",
"and {runtime} stand for the wanted versions."]},"key":"key","kubelet":"kubelet","containerRuntime":
"containerRuntime","extra":"extra","hold":{"type":"bool","optional":1,"nullable":1,"default":true,"description":
["Whether the packages are excluded from upgrades of the host."]}}},"kubeletConfiguration":"kubeletConfiguration",
"kubeletFlags":"kubeletFlags","containerRuntimeConfig":"containerRuntimeConfig","cni":"cni"}}}}
"""

INDEX = r"""
{"provider.configok.dev/v1alpha1 BinaryHost":["machines","machines",20,null],"machines.configok.dev/v1alpha1 Cluster":
["machines","machines",20,null],"provider.configok.dev/v1alpha1 DebianHost":["machines","machines",20,null],
"provider.configok.dev/v1alpha1 External":["machines","machines",20,null],"machines.configok.dev/v1alpha1 Machine":
["machines","machines",20,null],"machines.configok.dev/v1alpha1 MachineSet":["machines","machines",20,null],
"machines.configok.dev/v1alpha1 Provider":["machines","machines",20,null],"provider.configok.dev/v1alpha1 RPMHost":
["machines","machines",20,null]}
"""

RULES = r"""
{"Machine":{"spec":{"fields":["spec"]},"name":{"fields":["metadata.name"]},"labels":{"fields":["metadata.labels"]},
"cluster":{"fields":["spec.cluster"]},"kubelet":{"fields":["spec.versions.kubelet"]},"runtime":{"fields":
["spec.versions.containerRuntime.name","spec.versions.containerRuntime.version"]},"config-source":{"fields":
["spec.pool","spec.configSource"]},"bundle":{"fields":["spec.configSource"]},"pool":{"fields":["spec.pool"]},
"node-labels":{"fields":["spec.nodeLabels"]},"taints":{"fields":["spec.taints"]},"provider":{"fields":
["spec.providerConfig"]}},"MachineSet":{"spec":{"fields":["spec","spec.template","spec.template.spec","spec.hosts"]},
"name":{"fields":["metadata.name"]},"labels":{"fields":["metadata.labels","spec.template.metadata.labels",
"spec.selector.matchLabels"]},"selector":{"fields":["spec.selector.matchLabels","spec.template.metadata.labels"]},
"cluster":{"fields":["spec.template.spec.cluster"]},"kubelet":{"fields":["spec.template.spec.versions.kubelet"]},
"runtime":{"fields":["spec.template.spec.versions.containerRuntime.name",
"spec.template.spec.versions.containerRuntime.version"]},"config-source":{"fields":["spec.template.spec.pool",
"spec.template.spec.configSource"]},"bundle":{"fields":["spec.template.spec.configSource"]},"pool":{"fields":
["spec.template.spec.pool"]},"node-labels":{"fields":["spec.template.spec.nodeLabels"]},"taints":{"fields":
["spec.template.spec.taints"]},"provider":{"fields":["spec.template.spec.providerConfig"]},"hosts":{"fields":
["spec.hosts"]}},"Cluster":{"spec":{"fields":["spec"]},"name":{"fields":["metadata.name"]},"labels":{"fields":
["metadata.labels"]},"endpoint":{"fields":["spec.endpoint"]},"kubernetes-version":{"fields":
["spec.kubernetesVersion"]},"service-cidr":{"fields":["spec.network.serviceCIDR"]},"dns-domain":{"fields":
["spec.network.dnsDomain"]},"cluster-dns":{"fields":["spec.network.clusterDNS"]}},"Provider":{"spec":{"fields":
["spec"]},"name":{"fields":["metadata.name"]},"labels":{"fields":["metadata.labels"]},"api-version":{"fields":
["spec.apiVersion"]},"kind":{"fields":["spec.kind"]},"role":{"fields":["spec.role"]}},"DebianHost":{"connection":
{"fields":["address","port"]},"packages":{"fields":["packages"]},"kubelet-flags":{"fields":["kubeletFlags"]},"cni":
{"fields":["cni"]}},"RPMHost":{"connection":{"fields":["address","port"]},"packages":{"fields":["packages"]},
"kubelet-flags":{"fields":["kubeletFlags"]},"cni":{"fields":["cni"]}},"BinaryHost":{"connection":{"fields":["address",
"port"]},"archives":{"fields":["archives"]},"kubelet-flags":{"fields":["kubeletFlags"]},"cni":{"fields":["cni"]}},
"External":{"connection":{"fields":["address","port"]},"playbooks":{"fields":["create","delete"]}},"values":{}}
"""
