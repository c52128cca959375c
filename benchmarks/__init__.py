"""Speed, each next to the plain way: `python -m benchmarks.bench_NAME` in a clone."""
