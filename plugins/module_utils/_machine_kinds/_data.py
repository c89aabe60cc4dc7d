# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""Kinds and fields of machines as JSON."""

from __future__ import annotations

KINDS = r"""
{"shapes":{"address":{"description":
["The address of the host, an IP address or a DNS name; by default its host in Ansible's inventory, or",
"the Machine's name."],"optional":1},"port":{"type":"int32","default":22,"description":
["The port of the SSH server."],"optional":1},"user":{"default":"root","description":["The SSH user."],"optional":1},
"become":{"type":"bool","nullable":1,"default":true,"description":
["Whether a user other than root becomes root with sudo."],"optional":1},"kubeletConfiguration":{"type":"map<any>",
"description":["Fields of the init KubeletConfiguration, in addition to those that follow from the Cluster."],
"optional":1},"kubeletFlags":{"type":"map<string>","description":
["Flags of the kubelet without the dashes, for example node-ip, in addition to those of the provider."],"optional":1},
"containerRuntimeConfig":{"description":
["The text of the container runtime's config file; by default that of the package."],"optional":1},"cni":{"nullable":
1,"description":["A CNI configuration for /etc/cni/net.d; by default that is left to the cluster."],"optional":1,
"fields":{"name":{"description":["The name of the network."]},"cniVersion":{"description":
["The version of the CNI specification."],"optional":1},"plugins":{"type":"list<map<any>>","description":
["The configuration of each plugin."]}}},"annotations":{"type":"map<string>","description":
["Free notes; nothing reads them."],"optional":1},"metadata":{"description":
["The name and the labels of the object."],"fields":{"name":{"description":["The name, a DNS-1123 subdomain."]},
"labels":{"type":"map<string>","description":["Labels for selectors and groups."],"optional":1},"annotations":
"annotations"}},"key":{"description":
["The armored OpenPGP key of the source, or the path of its file on the control machine."],"optional":1},"kubelet":
{"default":"kubelet","description":["The name of the kubelet's package."],"optional":1},"containerRuntime":
{"description":["The name of the container runtime's package; by default the runtime's name."],"optional":1},"extra":
{"type":"list<string>","description":["More packages: the newest at creation, never updated."],"optional":1},"spec":
{"description":["The node as it should be."],"fields":{"cluster":{"description":
["The name of a Cluster; by default the only one that the files declare."],"optional":1},"versions":{"description":
["The versions of what runs on the host; without one, it is left alone."],"optional":1,"fields":{"kubelet":
{"description":["The version of the kubelet, for example 1.34.9."],"optional":1},"containerRuntime":{"nullable":1,
"description":["The container runtime; without it, the one of the host is left alone."],"optional":1,"fields":{"name":
{"type":"enum","enum":["containerd","cri-o","docker"],"description":["The runtime, as the Node reports it."]},
"version":{"description":
["Its version; a prefix of what the Node reports is enough, for example \"1.7\". Without it, any","version."],
"optional":1}}}}},"pool":{"description":
["The pool whose config the node gets. Excludes configSource; without both, the node has its init","config."],
"optional":1},"configSource":{"nullable":1,"description":["The published bundle that the node gets. Excludes pool."],
"optional":1,"fields":{"configMap":{"description":["The ConfigMap of the bundle."],"fields":{"namespace":
{"description":["Its namespace."]},"name":{"description":["Its name."]},"uid":{"description":
["Its UID; by default that of the ConfigMap that has the name now."],"optional":1}}}}},"nodeLabels":{"type":
"map<string>","description":["Labels that the Node must have; other labels of the Node are left alone."],"optional":
1},"taints":{"type":"list<object>","description":
["Taints that the Node must have; other taints of the Node are left alone."],"optional":1,"fields":{"key":
{"description":["The key."]},"value":{"description":["The value."],"optional":1},"effect":{"type":"enum","enum":
["NoSchedule","PreferNoSchedule","NoExecute"],"description":["The effect."]}}},"providerConfig":{"type":"map<any>",
"description":["What only the provider understands: an object with apiVersion and kind, for example DebianHost."]},
"state":{"type":"enum","enum":["Present","Absent"],"default":"Present","description":
["Absent deletes the machine; after that it can be taken out of the file."],"optional":1}}}},"kinds":
{"provider.configok.dev/v1alpha1 BinaryHost":{"description":
["A host without packages: the kubelet, the runtime and the CNI plugins come from local archives."],"fields":
{"address":"address","port":"port","user":"user","become":"become","archives":{"type":"list<object>","description":
["The files on the control machine, one entry for each component and version."],"fields":{"component":{"type":"enum",
"enum":["kubelet","containerd","runc","cni"],"description":["What it is."]},"version":{"description":
["Its version; spec.versions of the Machine chooses the entry, for runc and cni the last one is used."]},"path":
{"description":
["The file: a tar archive, or the binary itself; a relative path begins where ansible-playbook runs."]},"sha256":
{"description":["Its SHA-256 checksum, 64 hexadecimal digits."]}}},"kubeletConfiguration":"kubeletConfiguration",
"kubeletFlags":"kubeletFlags","containerRuntimeConfig":"containerRuntimeConfig","cni":"cni"}},
"machines.configok.dev/v1alpha1 Cluster":{"description":["What the Machines of a cluster share."],"fields":
{"metadata":"metadata","spec":{"description":["The values of the cluster."],"fields":{"endpoint":{"description":
["The URL of the API server, as the kubelets reach it, for example https://10.0.0.10:6443."],"optional":1},
"kubernetesVersion":{"description":
["The version of the control plane, for example 1.34.9; by default the API server is asked."],"optional":1},"network":
{"description":["The network of the cluster."],"optional":1,"fields":{"serviceCIDR":{"description":
["The addresses of Services; two, with a comma between them, for two address families."],"optional":1},"dnsDomain":
{"description":["The clusterDomain of every kubelet, for example cluster.local."],"optional":1},"clusterDNS":{"type":
"list<string>","description":["The clusterDNS of every kubelet: addresses of the DNS server."],"optional":1}}}}}}},
"provider.configok.dev/v1alpha1 DebianHost":{"description":
["A host with apt: the kubelet and the container runtime are packages."],"fields":{"address":"address","port":"port",
"user":"user","become":"become","packages":{"description":["Where the packages come from, and what they are called."],
"optional":1,"fields":{"source":{"description":
["A line of sources.list or a deb822 stanza; by default the host's own sources. {kubelet},",
"{kubeletMinor} and {runtime} stand for the wanted versions."],"optional":1},"key":"key","kubelet":"kubelet",
"containerRuntime":"containerRuntime","extra":"extra","hold":{"type":"bool","nullable":1,"default":true,"description":
["Whether the packages are held, so that upgrades of the host leave them alone."],"optional":1}}},
"kubeletConfiguration":"kubeletConfiguration","kubeletFlags":"kubeletFlags","containerRuntimeConfig":
"containerRuntimeConfig","cni":"cni"}},"provider.configok.dev/v1alpha1 External":{"description":
["A host that playbooks of the user create and delete; a changed machine is replaced."],"fields":{"address":"address",
"port":"port","user":"user","become":"become","create":{"description":
["The path of the playbook that creates the host."]},"delete":{"description":
["The path of the playbook that deletes the host."]},"values":{"type":"map<any>","description":
["Free values, which both playbooks get."],"optional":1},"provision":{"type":"bool","nullable":1,"default":true,
"description":["Whether the agent is installed on the new host; false for an image that has it."],"optional":1}}},
"machines.configok.dev/v1alpha1 Machine":{"description":["The declarative spec of one Node."],"fields":{"metadata":
{"description":["The name and the labels of the object."],"fields":{"name":{"description":
["The name of the Machine and of its Node, a DNS-1123 subdomain."]},"labels":{"type":"map<string>","description":
["Labels of the Machine, for selectors and groups; spec.nodeLabels are those of the Node."],"optional":1},
"annotations":"annotations"}},"spec":"spec"}},"machines.configok.dev/v1alpha1 MachineSet":{"description":
["A template and a list of hosts, which are expanded into Machines."],"fields":{"metadata":"metadata","spec":
{"description":["The template and the hosts."],"fields":{"selector":{"nullable":1,"description":
["Which Machines belong to the set; the labels of the template must match."],"optional":1,"fields":{"matchLabels":
{"type":"map<string>","description":["Labels that the template's labels must have."],"optional":1}}},"template":
{"description":["What the Machines have in common."],"fields":{"metadata":{"description":
["The metadata of the Machines."],"optional":1,"fields":{"labels":{"type":"map<string>","description":
["Labels of the Machines."],"optional":1},"annotations":"annotations"}},"spec":"spec"}},"hosts":{"type":
"list<map<any>>","description":
["The hosts: name, labels (added to those of the template) and fields of the providerConfig, such as",
"address, which replace those of the template."]}}}}},"machines.configok.dev/v1alpha1 Provider":{"description":
["A provider of one's own: the kind of its configs, and the Ansible role that changes hosts."],"fields":{"metadata":
"metadata","spec":{"description":["The provider."],"fields":{"apiVersion":{"description":
["The apiVersion of the provider's configs, for example example.com/v1."]},"kind":{"description":
["The kind of the provider's configs, for example CloudHost."]},"role":{"description":
["The Ansible role, for example example.cloud.host, with the task files validate, plan, create, update",
"and delete."]},"capabilities":{"description":["What the provider can do with a machine."],"optional":1,"fields":
{"create":{"type":"bool","nullable":1,"default":true,"description":["Make a Node of a host."],"optional":1},"delete":
{"type":"bool","nullable":1,"default":true,"description":["Reset the host."],"optional":1},"kubelet":{"type":"bool",
"nullable":1,"default":true,"description":["Change the version of the kubelet in place."],"optional":1},
"containerRuntime":{"type":"bool","nullable":1,"default":true,"description":
["Change the version of the container runtime in place."],"optional":1},"containerRuntimeKind":{"type":"bool",
"nullable":1,"default":false,"description":["Change to another container runtime in place."],"optional":1},"replace":
{"type":"bool","nullable":1,"default":false,"description":["Replace the host by another one."],"optional":1}}}}}}},
"provider.configok.dev/v1alpha1 RPMHost":{"description":
["A host with dnf: the kubelet and the container runtime are packages."],"fields":{"address":"address","port":"port",
"user":"user","become":"become","packages":{"description":["Where the packages come from, and what they are called."],
"optional":1,"fields":{"source":{"description":
["The section of a yum repository; by default the host's own repositories. {kubelet}, {kubeletMinor}",
"and {runtime} stand for the wanted versions."],"optional":1},"key":"key","kubelet":"kubelet","containerRuntime":
"containerRuntime","extra":"extra","hold":{"type":"bool","nullable":1,"default":true,"description":
["Whether the packages are excluded from upgrades of the host."],"optional":1}}},"kubeletConfiguration":
"kubeletConfiguration","kubeletFlags":"kubeletFlags","containerRuntimeConfig":"containerRuntimeConfig","cni":"cni"}}}}
"""

INDEX = r"""
{"machines.configok.dev/v1alpha1":[[["Cluster","Machine","MachineSet","Provider"],["machines","machines",20,null]]],
"provider.configok.dev/v1alpha1":[[["BinaryHost","DebianHost","External","RPMHost"],["machines","machines",20,null]]]}
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
