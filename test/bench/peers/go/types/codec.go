package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// codec is the serializer that a clientset uses for one form.
type codec struct {
	serializer runtime.Serializer
	// Adds what the records lack to be a body of a response.
	wrap func([]byte) ([]byte, error)
}

func codecOf(form string) (*codec, error) {
	switch form {
	case "json":
		return &codec{json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{}),
			func(body []byte) ([]byte, error) { return body, nil }}, nil
	case "protobuf":
		return &codec{protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), enveloped}, nil
	}
	return nil, fmt.Errorf("unknown form %q", form)
}

func enveloped(message []byte) ([]byte, error) {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Raw: message}
	body, err := unknown.Marshal()
	return append([]byte("k8s\x00"), body...), err
}

func (c *codec) decode(body []byte) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	_, _, err := c.serializer.Decode(body, nil, pod)
	return pod, err
}

func (c *codec) read(file string) ([][]byte, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var bodies [][]byte
	for {
		var length uint32
		err := binary.Read(in, binary.LittleEndian, &length)
		if errors.Is(err, io.EOF) {
			return bodies, nil
		}
		if err != nil {
			return nil, err
		}
		record := make([]byte, length)
		if _, err := io.ReadFull(in, record); err != nil {
			return nil, err
		}
		body, err := c.wrap(record)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
}
