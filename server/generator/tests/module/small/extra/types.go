// Package extra has an argument of a tag that has none, so nothing is made of it.
// +groupName=extra.example.com
package extra

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:required=yes
	On bool `json:"on"`
}
