"""S around a model.

orbit_batch    the copies of a batch, made on the device
saved_sample   S in a state dict
orbit_average  predictions averaged over S, their spread, and a bound
metric         the invariance error, accumulated over batches and ranks
"""
