package main

import (
	"context"
	"io"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apps "k8s.io/client-go/applyconfigurations/apps/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"
	meta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func wanted(replicas int32, image string) *apps.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	container := core.Container().WithName("c").WithImage(image).WithPorts(core.ContainerPort().WithContainerPort(80))
	template := core.PodTemplateSpec().WithLabels(labels).WithSpec(core.PodSpec().WithContainers(container))
	return apps.Deployment("applied", "default").WithSpec(apps.DeploymentSpec().WithReplicas(replicas).
		WithSelector(meta.LabelSelector().WithMatchLabels(labels)).WithTemplate(template))
}

// Applies by typed configurations, in conflict and by force, and extracts what a manager owns.
func apply(ctx context.Context, clients *kubernetes.Clientset) {
	deployments := clients.AppsV1().Deployments("default")
	by := func(manager string, force bool) metav1.ApplyOptions {
		return metav1.ApplyOptions{FieldManager: manager, Force: force}
	}
	first, err := deployments.Apply(ctx, wanted(1, "i:1"), by("one", false))
	must(err)
	again, err := deployments.Apply(ctx, wanted(1, "i:1"), by("one", false))
	must(err)
	check(first.ResourceVersion == again.ResourceVersion, "an equal apply changed the version")
	_, err = deployments.Apply(ctx, wanted(2, "i:1"), by("two", false))
	check(apierrors.IsConflict(err), "no conflict: %v", err)
	causes := err.(apierrors.APIStatus).Status().Details.Causes
	check(len(causes) == 1 && causes[0].Type == metav1.CauseTypeFieldManagerConflict && causes[0].Field == ".spec.replicas", "causes: %v", causes)
	forced, err := deployments.Apply(ctx, wanted(2, "i:1"), by("two", true))
	must(err)
	check(*forced.Spec.Replicas == 2, "not forced")
	extracted, err := apps.ExtractDeployment(forced, "one")
	must(err)
	check(extracted.Spec.Replicas == nil && *extracted.Spec.Template.Spec.Containers[0].Image == "i:1", "extracted: %v", extracted.Spec)
	must(deployments.Delete(ctx, "applied", metav1.DeleteOptions{}))
}

// A token of a service account stands for it; logs, evictions.
func subresources(ctx context.Context, clients *kubernetes.Clientset, config *rest.Config) {
	_, err := clients.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
	must(err)
	token, err := clients.CoreV1().ServiceAccounts("default").CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(err)
	other := rest.AnonymousClientConfig(config)
	other.BearerToken = token.Status.Token
	robot, err := kubernetes.NewForConfig(other)
	must(err)
	self, err := robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	must(err)
	check(self.Status.UserInfo.Username == "system:serviceaccount:default:robot", "user %q", self.Status.UserInfo.Username)
	other.BearerToken, other.BearerTokenFile = config.BearerToken, ""
	other.Impersonate = rest.ImpersonationConfig{UserName: "jane", Groups: []string{"g"}, Extra: map[string][]string{"Acme.com/x": {"1"}}}
	jane, err := kubernetes.NewForConfig(other)
	must(err)
	self, err = jane.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	must(err)
	check(self.Status.UserInfo.Username == "jane" && self.Status.UserInfo.Extra["acme.com/x"][0] == "1", "user %v", self.Status.UserInfo)

	pods := clients.CoreV1().Pods("default")
	_, err = pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
	must(err)
	must(clients.CoreV1().RESTClient().Post().Namespace("default").Resource("pods").Name("p").SubResource("log").Param("end", "true").
		Body([]byte("one\ntwo\n")).Do(ctx).Error())
	lines := int64(1)
	stream, err := pods.GetLogs("p", &corev1.PodLogOptions{TailLines: &lines, Follow: true}).Stream(ctx)
	must(err)
	text, err := io.ReadAll(stream)
	must(err)
	check(string(text) == "two\n", "log %q", text)
	must(pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}}))
	_, err = pods.Get(ctx, "p", metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "still there: %v", err)
}
