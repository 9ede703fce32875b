package intstr

// IntOrString is known to controller-gen.
type IntOrString struct{}
