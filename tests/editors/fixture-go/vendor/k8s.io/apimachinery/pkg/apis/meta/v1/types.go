// Package v1 has as much of Kubernetes as the types of this module need.
package v1

// TypeMeta is the type of an object.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

// ObjectMeta is the metadata of an object.
type ObjectMeta struct {
	Name string `json:"name,omitempty"`
}
