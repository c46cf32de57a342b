// Uses client-go and controller-runtime with their defaults, which prefer protobuf, against an embedded server: writes, informers with
// streamed lists, metadata only, server-side apply, tokens, logs, a controller.
// Usage: embedded KUBECONFIG
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func must(err error) {
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

func check(good bool, format string, values ...any) {
	if !good {
		must(fmt.Errorf(format, values...))
	}
}

const objects = 20

func name(i int) string { return fmt.Sprintf("c%d", i) }

func create(ctx context.Context, clients *kubernetes.Clientset) {
	for i := range objects {
		_, err := clients.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name(i)},
			Data:       map[string]string{"k": "v"},
			BinaryData: map[string][]byte{"b": {0, 1, 255}},
		}, metav1.CreateOptions{})
		must(err)
	}
	pod := corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "i"}}}
	job := batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: pod}}
	_, err := clients.BatchV1().Jobs("default").Create(
		ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j"}, Spec: job}, metav1.CreateOptions{})
	must(err)
}

func change(ctx context.Context, clients *kubernetes.Clientset) {
	maps := clients.CoreV1().ConfigMaps("default")
	object, err := maps.Get(ctx, name(1), metav1.GetOptions{})
	must(err)
	check(string(object.BinaryData["b"]) == "\x00\x01\xff", "binary data: %v", object.BinaryData)
	object.Data["k"] = "changed"
	_, err = maps.Update(ctx, object, metav1.UpdateOptions{})
	must(err)
	_, err = maps.Update(ctx, object, metav1.UpdateOptions{})
	check(apierrors.IsConflict(err), "no conflict: %v", err)
	must(maps.Delete(ctx, name(1), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &object.UID}}))
	_, err = maps.Get(ctx, name(1), metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "still there: %v", err)
}

func informer(ctx context.Context, clients *kubernetes.Clientset) {
	factory := informers.NewSharedInformerFactory(clients, 0)
	maps := factory.Core().V1().ConfigMaps().Informer()
	events := make(chan string, 1000)
	_, err := maps.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, o any) { events <- "update " + o.(*corev1.ConfigMap).Data["k"] },
		DeleteFunc: func(o any) { events <- "delete " + o.(*corev1.ConfigMap).Name },
	})
	must(err)
	pods := factory.Core().V1().Pods().Informer()
	deployments := factory.Apps().V1().Deployments().Informer()
	factory.Start(ctx.Done())
	synced := cache.WaitForCacheSync(ctx.Done(), maps.HasSynced, pods.HasSynced, deployments.HasSynced)
	check(synced, "the informers do not sync")
	check(len(maps.GetStore().List()) == objects, "%d objects", len(maps.GetStore().List()))
	change(ctx, clients)
	for _, wanted := range []string{"update changed", "delete " + name(1)} {
		select {
		case got := <-events:
			check(got == wanted, "event %q in place of %q", got, wanted)
		case <-ctx.Done():
			check(false, "no event %q", wanted)
		}
	}
}

func metadataOnly(ctx context.Context, client metadata.Interface) {
	maps := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("default")
	list, err := maps.List(ctx, metav1.ListOptions{})
	must(err)
	check(len(list.Items) == objects-1 && list.Items[0].Name == name(0), "metadata of %d objects", len(list.Items))
	watch, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	must(err)
	must(maps.Delete(ctx, name(2), metav1.DeleteOptions{}))
	event := <-watch.ResultChan()
	check(event.Type == "DELETED", "%s in place of DELETED", event.Type)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	clients, err := kubernetes.NewForConfig(config)
	must(err)
	create(ctx, clients)
	informer(ctx, clients)
	client, err := metadata.NewForConfig(config)
	must(err)
	metadataOnly(ctx, client)
	apply(ctx, clients)
	subresources(ctx, clients, config)
	controllerRuntime(ctx, config)
	fmt.Println("client-go and controller-runtime: all good")
}
