"""Which S of a random pipeline: draws, Sobol points, kernel thinning, chosen; forecasts; training.

    python -m studies.pipelines cnn series text photos --out results/pipelines

pairs     four pairs of a frozen model and a distribution, fixed before anything was measured
tables    outputs at all rows that anything takes, measured once
compare   what m elements leave on held-out inputs, the forecasts, and how often their bars hold
heads     heads trained on stored views, own frozen draws and fresh ones
"""
