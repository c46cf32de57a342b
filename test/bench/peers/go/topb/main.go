// topb converts the replay server's JSON records to protobuf records: each record is a 32-bit little-endian length and
// that many bytes, in the input a Pod as JSON, in the output the same Pod as the bytes of k8s.io.api.core.v1.Pod. It
// streams: memory does not grow with the file.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: topb IN OUT")
		os.Exit(2)
	}
	records, err := convertFile(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintf(os.Stderr, "topb: record %d: %v\n", records, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "topb: %d records\n", records)
}

func convertFile(from, to string) (int, error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	records, err := convert(bufio.NewReaderSize(in, 1<<20), out)
	return records, errors.Join(err, out.Close())
}

func convert(in io.Reader, out io.Writer) (int, error) {
	buffered := bufio.NewWriterSize(out, 1<<20)
	var text, body []byte
	for records := 0; ; records++ {
		var length uint32
		err := binary.Read(in, binary.LittleEndian, &length)
		if errors.Is(err, io.EOF) {
			return records, buffered.Flush()
		}
		if err != nil {
			return records, err
		}
		text = sized(text, int(length))
		if _, err := io.ReadFull(in, text); err != nil {
			return records, err
		}
		var pod corev1.Pod
		if err := json.Unmarshal(text, &pod); err != nil {
			return records, err
		}
		body = sized(body, pod.Size())
		written, err := pod.MarshalToSizedBuffer(body)
		if err != nil {
			return records, err
		}
		if err := binary.Write(buffered, binary.LittleEndian, uint32(written)); err != nil {
			return records, err
		}
		if _, err := buffered.Write(body[:written]); err != nil {
			return records, err
		}
	}
}

func sized(buffer []byte, size int) []byte {
	if cap(buffer) < size {
		return make([]byte, size+size/2)[:size]
	}
	return buffer[:size]
}
