// Package failure has a field that is an error, on which controller-gen crashes after the first kind.
// +groupName=failure.example.com
package failure

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Bulb struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Failure error `json:"failure"`
}
