package runtime

// RawExtension is known to controller-gen.
type RawExtension struct{}
