// Package v1 has the types of the shop.
// +kubebuilder:object:generate=true
// +groupName=shop.example.com
package v1
