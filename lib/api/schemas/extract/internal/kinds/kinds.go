// Package kinds lists the kinds that every Kubernetes cluster may serve, with their Go types.
package kinds

import (
	"cmp"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Kind is a kind of one group and version.
type Kind struct {
	schema.GroupVersionKind
	Type reflect.Type
}

// New returns an empty object of the kind.
func (k Kind) New() runtime.Object { return reflect.New(k.Type).Interface().(runtime.Object) }

// Scheme knows the built-in kinds, and those of custom resource definitions, API services and metadata.
func Scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// All returns the kinds with a protobuf form, by API version and kind. The kinds of the meta package are registered with every
// group; they are listed as v1 and, those of meta.k8s.io, as meta.k8s.io/v1.
func All(s *runtime.Scheme) []Kind {
	meta, oldMeta := reflect.TypeFor[metav1.Status]().PkgPath(), reflect.TypeFor[metav1beta1.PartialObjectMetadataList]().PkgPath()
	var all []Kind
	for gvk, t := range s.AllKnownTypes() {
		ownMeta := gvk.GroupVersion() == metav1.Unversioned || gvk.GroupVersion() == metav1.SchemeGroupVersion
		if gvk.Version == runtime.APIVersionInternal || t.PkgPath() == oldMeta || t.PkgPath() == meta && !ownMeta || !IsMessage(t) {
			continue
		}
		all = append(all, Kind{gvk, t})
	}
	slices.SortFunc(all, func(a, b Kind) int {
		return cmp.Or(strings.Compare(a.GroupVersion().String(), b.GroupVersion().String()), strings.Compare(a.Kind, b.Kind))
	})
	return all
}

// IsMessage tells whether values of the type are messages in protobuf.
func IsMessage(t reflect.Type) bool {
	_, has := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return has
}

// Version returns the version of Kubernetes that the pinned modules belong to, such as "1.37.2".
func Version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/api" {
			return "1" + strings.TrimPrefix(module.Version, "v0")
		}
	}
	panic("built without module information")
}
