package main

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	apps "k8s.io/client-go/applyconfigurations/apps/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"
	networking "k8s.io/client-go/applyconfigurations/networking/v1"
	rbac "k8s.io/client-go/applyconfigurations/rbac/v1"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

type testCase struct {
	resource schema.GroupVersionResource
	kind     string
	extract  func(raw []byte, manager, subresource string) any
	writes   []write
}

// of returns an extractor that calls a generated function.
func of[T any, C any](extract func(*T, string, string) (C, error)) func([]byte, string, string) any {
	return func(raw []byte, manager, subresource string) any {
		var o T
		must(json.Unmarshal(raw, &o))
		return value(extract(&o, manager, subresource))
	}
}

// withoutNulls drops null members, and objects that are empty by that: as configurations of built-in kinds have none.
func withoutNulls(v any) any {
	members, ok := v.(map[string]any)
	if !ok || len(members) == 0 {
		return v
	}
	for name, member := range members {
		if members[name] = withoutNulls(member); members[name] == nil {
			delete(members, name)
		}
	}
	if len(members) == 0 {
		return nil
	}
	return members
}

// As client-go's extractor of unstructured objects does it.
func robot(raw []byte, manager, subresource string) any {
	var o, out unstructured.Unstructured
	must(json.Unmarshal(raw, &o.Object))
	parser := value(typed.NewParser(typed.YAMLObject(robotType)))
	must(managedfields.ExtractInto(&o, parser.Type("robot"), manager, &out.Object, subresource))
	if out.Object == nil {
		out.Object = map[string]any{}
	}
	out.SetName(o.GetName())
	out.SetNamespace(o.GetNamespace())
	out.SetKind(o.GetKind())
	out.SetAPIVersion(o.GetAPIVersion())
	return withoutNulls(out.Object)
}

func namespaced(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

var cases = []testCase{
	{namespaced("apps", "v1", "deployments"), "Deployment", of[appsv1.Deployment](apps.ExtractDeploymentFrom), []write{
		{"one", "", `{"metadata":{"labels":{"app":"x","l":"1"},"annotations":{"a":"1"}},"spec":{"replicas":3,
			"selector":{"matchLabels":{"app":"x"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%"}},
			"template":{"metadata":{"labels":{"app":"x"}},"spec":{"nodeSelector":{"disk":"ssd"},"tolerations":[{"key":"k","operator":"Exists"}],
			"volumes":[{"name":"v","emptyDir":{}},{"name":"w","configMap":{"name":"c","items":[{"key":"k","path":"p"}]}}],
			"containers":[{"name":"c","image":"i:1","args":["a","b"],"resources":{},"env":[{"name":"E","value":"1"},
			{"name":"F","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],"ports":[{"containerPort":80},
			{"containerPort":53,"protocol":"UDP","name":"dns"}],"volumeMounts":[{"name":"v","mountPath":"/v"}]},
			{"name":"d","image":"i:2"}]}}}}`},
		{"two", "", `{"metadata":{"labels":{"l":"2","m":"2"}},"spec":{"replicas":4,"template":{"spec":{"containers":[
			{"name":"c","image":"i:3","ports":[{"containerPort":80,"name":"web"}],"env":[{"name":"G","value":"2"}]},{"name":"e","image":"i:4"}]}}}}`},
		{"three", "", `{"metadata":{"labels":{},"annotations":{}},"spec":{"template":{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]}}}}`},
		{"three", "status", `{"status":{"replicas":2,"conditions":[{"type":"Available","status":"True","reason":"R","message":"m"}]}}`},
		{"four", "status", `{"status":{"readyReplicas":1,"conditions":[{"type":"Progressing","status":"False","reason":"Q","message":"n"}]}}`},
	}},
	{namespaced("apps", "v1", "statefulsets"), "StatefulSet", of[appsv1.StatefulSet](apps.ExtractStatefulSetFrom), []write{
		{"one", "", `{"spec":{"serviceName":"s","selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},
			"spec":{"containers":[{"name":"c","image":"i"}]}},"volumeClaimTemplates":[{"metadata":{"name":"data"},
			"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}`},
		{"two", "", `{"spec":{"replicas":0,"minReadySeconds":5}}`},
	}},
	// Owners of a kind that the server does not have: it collects what belongs to owners that are not there.
	{namespaced("", "v1", "pods"), "Pod", of[corev1.Pod](core.ExtractPodFrom), []write{
		{"one", "", `{"metadata":{"finalizers":["a/x","a/y"],"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Rack","name":"n","uid":"u-1"}]},
			"spec":{"imagePullSecrets":[{"name":"s"}],"hostAliases":[{"ip":"10.0.0.1","hostnames":["h"]}],
			"securityContext":{"sysctls":[{"name":"s","value":"1"}]},"dnsConfig":{"nameservers":["10.0.0.2"],"options":[{"name":"o"}]},
			"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}],
			"containers":[{"name":"c","image":"i","command":["sh"],"lifecycle":{"preStop":{"exec":{"command":["x"]}}},
			"ports":[{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}],"envFrom":[{"configMapRef":{"name":"m"}}]}]}}`},
		{"two", "", `{"metadata":{"finalizers":["a/z","a/y"],"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Rack","name":"m","uid":"u-2"}]}}`},
		{"three", "", `{"metadata":{"finalizers":[]}}`},
		{"three", "status", `{"status":{"podIPs":[{"ip":"10.0.0.9"}],"phase":"Running"}}`},
	}},
	{namespaced("", "v1", "services"), "Service", of[corev1.Service](core.ExtractServiceFrom), []write{
		{"one", "", `{"spec":{"selector":{"a":"b"},"ports":[{"port":53,"protocol":"UDP","name":"u"},{"port":53,"name":"t"}],"externalIPs":["10.0.0.5"]}}`},
		{"two", "", `{"spec":{"selector":{"a":"c"},"ports":[{"port":53,"targetPort":"dns","name":"t"}]}}`},
	}},
	{namespaced("", "v1", "configmaps"), "ConfigMap", of[corev1.ConfigMap](core.ExtractConfigMapFrom), []write{
		{"one", "", `{"data":{"a":"1","b":"<&>"},"binaryData":{"c":"AAH/"},"immutable":false}`},
		{"two", "", `{"data":{"b":"2"}}`},
		{"three", "", `{"data":{}}`},
		{"one", "", `{"data":{"a":"1","d":"4"}}`},
	}},
	{namespaced("", "v1", "serviceaccounts"), "ServiceAccount", of[corev1.ServiceAccount](core.ExtractServiceAccountFrom), []write{
		{"one", "", `{"secrets":[{"name":"s"}],"imagePullSecrets":[{"name":"p"}]}`},
		{"two", "", `{"secrets":[{"name":"t"}],"automountServiceAccountToken":false}`},
	}},
	{namespaced("rbac.authorization.k8s.io", "v1", "roles"), "Role", of[rbacv1.Role](rbac.ExtractRoleFrom), []write{
		{"one", "", `{"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}`},
		{"two", "", `{"metadata":{"labels":{"l":"1"}}}`},
	}},
	{namespaced("networking.k8s.io", "v1", "ingresses"), "Ingress", of[networkingv1.Ingress](networking.ExtractIngressFrom), []write{
		{"one", "", `{"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"rules":[{"host":"h"}],"tls":[{"hosts":["h"]}]}}`},
	}},
	{namespaced("example.com", "v1", "robots"), "Robot", robot, []write{
		{"one", "", `{"metadata":{"labels":{"a":"1"}},"spec":{"arms":[{"name":"left","side":"l","length":1},{"name":"right","length":2}],
			"tags":["x","y"],"plan":["p","q"],"place":{"x":1,"y":2},"notes":{"n":"1"}}}`},
		{"two", "", `{"spec":{"arms":[{"name":"left","side":"r","length":3},{"name":"right","length":4}],"tags":["z","y"],"place":{"x":5},"notes":{"n":"2","m":"3"}}}`},
		{"three", "", `{"spec":{"notes":{},"tags":[],"arms":[]}}`},
	}},
}

const robots = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"robots.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"robots","singular":"robot","kind":"Robot"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
"arms":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name","side"],"items":{"type":"object","required":["name"],
"properties":{"name":{"type":"string"},"side":{"type":"string","default":"l"},"length":{"type":"integer"}}}},
"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
"plan":{"type":"array","items":{"type":"string"}},
"place":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"x":{"type":"integer"},"y":{"type":"integer"}}},
"notes":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]}}`

// The same schema as structured merging has it.
const robotType = `types:
- name: robot
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - name: metadata
      type:
        map:
          fields:
          - {name: name, type: {scalar: string}}
          - {name: namespace, type: {scalar: string}}
          - {name: generation, type: {scalar: numeric}}
          - {name: managedFields, type: {list: {elementType: {namedType: any}, elementRelationship: atomic}}}
          - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - name: spec
      type:
        map:
          fields:
          - name: arms
            type:
              list:
                elementRelationship: associative
                keys: [name, side]
                elementType:
                  map:
                    fields:
                    - {name: name, type: {scalar: string}}
                    - {name: side, type: {scalar: string}, default: l}
                    - {name: length, type: {scalar: numeric}}
          - {name: tags, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
          - {name: plan, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
          - name: place
            type:
              map:
                elementRelationship: atomic
                fields:
                - {name: "x", type: {scalar: numeric}}
                - {name: "y", type: {scalar: numeric}}
          - {name: notes, type: {map: {elementType: {scalar: string}}}}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}, elementRelationship: separable}
`
