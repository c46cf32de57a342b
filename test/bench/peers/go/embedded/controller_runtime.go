package main

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/copied"

// Keeps a secret beside each labelled config map, and reports the ones that are complete.
type copier struct {
	client.Client
	done chan string
}

func (c *copier) Reconcile(ctx context.Context, r ctrl.Request) (ctrl.Result, error) {
	var from corev1.ConfigMap
	if err := c.Get(ctx, r.NamespacedName, &from); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if from.Labels["copy"] != "yes" {
		return ctrl.Result{}, nil
	}
	if !from.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(&from, finalizer)
		err := c.Update(ctx, &from)
		if err == nil {
			c.done <- "gone " + from.Name
		}
		return ctrl.Result{}, err
	}
	if controllerutil.AddFinalizer(&from, finalizer) {
		return ctrl.Result{}, c.Update(ctx, &from)
	}
	to := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: from.Name, Namespace: from.Namespace}}
	result, err := controllerutil.CreateOrUpdate(ctx, c.Client, to, func() error {
		to.StringData = nil
		to.Data = map[string][]byte{"k": []byte(from.Data["k"])}
		return controllerutil.SetControllerReference(&from, to, c.Scheme())
	})
	if err == nil && result == controllerutil.OperationResultNone {
		c.done <- string(to.Data["k"])
	}
	return ctrl.Result{}, err
}

func expect(ctx context.Context, done <-chan string, wanted string) {
	for {
		select {
		case got := <-done:
			if got == wanted {
				return
			}
		case <-ctx.Done():
			check(false, "controller-runtime: never %q", wanted)
		}
	}
}

// Uses controller-runtime's cache, controller and writers.
func controllerRuntime(ctx context.Context, config *rest.Config) {
	log.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	must(err)
	c := &copier{manager.GetClient(), make(chan string, 1000)}
	must(ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(c))
	ended := make(chan error, 1)
	running, stop := context.WithCancel(ctx)
	go func() { ended <- manager.Start(running) }()

	direct, err := client.New(config, client.Options{})
	must(err)
	from := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "original", Namespace: "default", Labels: map[string]string{"copy": "yes"}},
		Data:       map[string]string{"k": "first"},
	}
	must(direct.Create(ctx, from))
	expect(ctx, c.done, "first")
	must(direct.Get(ctx, client.ObjectKeyFromObject(from), from))
	before := from.DeepCopy()
	from.Data["k"] = "second"
	must(direct.Patch(ctx, from, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
	expect(ctx, c.done, "second")
	err = direct.Patch(ctx, before, client.MergeFromWithOptions(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: before.Name, Namespace: before.Namespace, ResourceVersion: "1"}}, client.MergeFromWithOptimisticLock{}))
	check(apierrors.IsConflict(err), "no conflict: %v", err)
	must(direct.Delete(ctx, from))
	expect(ctx, c.done, "gone original")
	statuses(ctx, direct)
	stop()
	must(<-ended)
}

// A status is written by its own subresource, which leaves the specification alone.
func statuses(ctx context.Context, direct client.Client) {
	labels := map[string]string{"app": "d"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d", Namespace: "default"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		},
	}}
	must(direct.Create(ctx, d))
	before := d.DeepCopy()
	d.Status.Replicas = 3
	d.Spec.Paused = true
	must(direct.Status().Patch(ctx, d, client.MergeFrom(before)))
	check(d.Status.Replicas == 3 && !d.Spec.Paused, "status %d, paused %v", d.Status.Replicas, d.Spec.Paused)
	d.Status.Replicas = 4
	must(direct.Status().Update(ctx, d))
	var all appsv1.DeploymentList
	must(direct.List(ctx, &all, client.InNamespace("default"), client.Limit(1)))
	check(len(all.Items) == 1 && all.Items[0].Status.Replicas == 4, "deployments: %s", fmt.Sprint(all.Items))
	must(direct.DeleteAllOf(ctx, &appsv1.Deployment{}, client.InNamespace("default")))
	check(apierrors.IsNotFound(direct.Get(ctx, client.ObjectKeyFromObject(d), d)), "the deployment is still there")
}
