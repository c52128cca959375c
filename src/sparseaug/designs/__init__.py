"""S by design."""
