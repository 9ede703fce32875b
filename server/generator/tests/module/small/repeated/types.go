// Package repeated has markers that repeat an argument: the last one counts.
// +groupName=repeated.example.com
package repeated

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:printcolumn:name=On,type=string,type=boolean,JSONPath=.off,JSONPath=.on
// +kubebuilder:resource:shortName=a;b,shortName=c
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	On bool `json:"on"`
}
