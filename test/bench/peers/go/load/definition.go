package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

//go:embed widgets.yaml
var definition []byte

// define creates the custom resource, and returns when the server serves it.
func define(ctx context.Context, client dynamic.Interface) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(definition, &object.Object); err != nil {
		return err
	}
	_, err := client.Resource(definitions).Create(ctx, object, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	for range 100 {
		if _, err = client.Resource(kinds["widgets"].resource).List(ctx, metav1.ListOptions{Limit: 1}); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the server does not serve the custom resource: %w", err)
}
