// Package newer has a version of kinds of which package older has another.
// +groupName=versions.example.com
package newer

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Bulb Bulb `json:"bulb"`
}

type Bulb struct {
	Watts int32 `json:"watts"`
}
