// A conversion webhook as operators write it, with controller-runtime's conversion package. `webhook FAULT` makes a mistake.
// It listens on loopback without TLS, and prints its address.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func main() {
	if len(os.Args) > 1 {
		fault = os.Args[1]
	}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(v1.WithKind("Widget"), &WidgetV1{})
	scheme.AddKnownTypeWithName(v2.WithKind("Widget"), &WidgetV2{})
	metav1.AddToGroupVersion(scheme, v1)
	metav1.AddToGroupVersion(scheme, v2)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("http://%s/convert\n", listener.Addr())
	http.Handle("/convert", conversion.NewWebhookHandler(scheme, conversion.NewRegistry()))
	fmt.Fprintln(os.Stderr, http.Serve(listener, nil))
	os.Exit(1)
}
