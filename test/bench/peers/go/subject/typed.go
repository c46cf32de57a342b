package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func podFields(pod *corev1.Pod) fields {
	return fields{pod.Spec.NodeName, string(pod.Status.Phase), pod.Annotations[stampAnnotation]}
}

func podSource(config *rest.Config, namespace string) (*source, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pods := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)).Core().V1().Pods()
	lister := pods.Lister()
	return &source{
		informer: pods.Informer(),
		get: func(name cache.ObjectName) (fields, error) {
			pod, err := lister.Pods(name.Namespace).Get(name.Name)
			if err != nil {
				return fields{}, err
			}
			return podFields(pod), nil
		},
		list:  func() ([]any, error) { return asAny(lister.List(labels.Everything())) },
		first: func(object any) string { return object.(*corev1.Pod).Spec.NodeName },
		five: func(object any) [5]string {
			pod := object.(*corev1.Pod)
			return [5]string{pod.Spec.NodeName, string(pod.Status.Phase), pod.Annotations[stampAnnotation], pod.Name,
				pod.Status.PodIP}
		},
	}, nil
}

// widgetSource is the code that client-gen, informer-gen and lister-gen generate for a custom resource.
func widgetSource(config *rest.Config, namespace string) (*source, error) {
	scheme := runtime.NewScheme()
	addWidgets(scheme)
	config.GroupVersion = &widgetVersion
	config.APIPath = "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	transport, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	client := gentype.NewClientWithList[*Widget, *WidgetList]("widgets", transport, runtime.NewParameterCodec(scheme),
		namespace, func() *Widget { return &Widget{} }, func() *WidgetList { return &WidgetList{} })
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	}, &Widget{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	lister := listers.New[*Widget](informer.GetIndexer(), widgetVersion.WithResource("widgets").GroupResource())
	return &source{
		informer: informer,
		get: func(name cache.ObjectName) (fields, error) {
			widget, err := listers.NewNamespaced(lister, name.Namespace).Get(name.Name)
			if err != nil {
				return fields{}, err
			}
			return fields{widget.Spec.Color, widget.Status.Phase, widget.Annotations[stampAnnotation]}, nil
		},
		list:  func() ([]any, error) { return asAny(lister.List(labels.Everything())) },
		first: func(object any) string { return object.(*Widget).Spec.Color },
		five: func(object any) [5]string {
			widget := object.(*Widget)
			return [5]string{widget.Spec.Color, widget.Status.Phase, widget.Annotations[stampAnnotation], widget.Name,
				widget.Spec.Schedule}
		},
	}, nil
}
