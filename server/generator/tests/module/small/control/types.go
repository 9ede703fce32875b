// Package control has a control character in a comment, so its second kind and its third cannot be written.
// +groupName=control.example.com
package control

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Bulb is written:  is written as an escape, and   and  are characters like others.
type Bulb struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Candle has  in its comment.
type Candle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Lamp is a lamp.
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
