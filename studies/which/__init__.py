"""Which S? Sets made for a model, on real data: chosen on one half, measured on the other."""
