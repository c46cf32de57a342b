package main

import (
	"encoding/json"
	"log"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientgo "k8s.io/client-go/applyconfigurations"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistration "k8s.io/kube-aggregator/pkg/client/applyconfiguration"
	"sigs.k8s.io/structured-merge-diff/v6/schema"

	"kubecoro/lib/api/schemas/extract/internal/kinds"
)

// A merging tells how server-side apply merges types, by the names of the types. The apply configurations of the clients hold this
// part of the OpenAPI documents, which the types' tags do not.
type merging map[string]schema.TypeDef

func mergingOfAll() merging {
	scheme, all := kinds.Scheme(), merging{}
	for _, part := range []struct {
		converter managedfields.TypeConverter
		object    runtime.Object
	}{
		{clientgo.NewTypeConverter(scheme), &corev1.Pod{}},
		{apiextensions.NewTypeConverter(scheme), &apiextensionsv1.CustomResourceDefinition{}},
		{apiregistration.NewTypeConverter(scheme), &apiregistrationv1.APIService{}},
	} {
		part.object.GetObjectKind().SetGroupVersionKind(kindOf(scheme, part.object))
		typed, err := part.converter.ObjectToTyped(part.object)
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range typed.Schema().Types {
			if _, known := all[t.Name]; !known {
				all[t.Name] = t
			}
		}
	}
	return all
}

// alias describes the fields of an inlined type as those of a type that contains it.
func (m merging) alias(inlined, owner reflect.Type) {
	if _, known := m[name(inlined)]; !known {
		m[name(inlined)] = m[name(owner)]
	}
}

// atomic tells whether a type is a struct that is replaced as a whole.
func (m merging) atomic(message string) bool {
	t, known := m[message]
	return known && t.Map != nil && t.Map.ElementRelationship == schema.Atomic
}

// rule returns how the lists and maps of a field are merged: set, map:KEYS, atomic, or nothing, which is atomic for lists and by
// member for maps.
func (m merging) rule(message, field string) string {
	t, known := m[message]
	if !known || t.Map == nil {
		return ""
	}
	f, known := t.Map.FindField(field)
	if !known {
		return ""
	}
	if f.Type.ElementRelationship != nil && *f.Type.ElementRelationship == schema.Atomic {
		return "atomic"
	}
	list, members := f.Type.Inlined.List, f.Type.Inlined.Map
	if members != nil && members.ElementRelationship == schema.Atomic {
		return "atomic"
	}
	if list == nil || list.ElementRelationship != schema.Associative {
		return ""
	}
	if len(list.Keys) == 0 {
		return "set"
	}
	var keys []string
	for _, key := range list.Keys {
		keys = append(keys, key+m.defaultOf(list.ElementType, key))
	}
	return "map:" + strings.Join(keys, ",")
}

// defaultOf returns "=VALUE" in JSON if items without the key have a value for it.
func (m merging) defaultOf(item schema.TypeRef, key string) string {
	if item.NamedType == nil || m[*item.NamedType].Map == nil {
		return ""
	}
	f, known := m[*item.NamedType].Map.FindField(key)
	if !known || f.Default == nil {
		return ""
	}
	text, err := json.Marshal(f.Default)
	if err != nil {
		log.Fatal(err)
	}
	return "=" + string(text)
}
