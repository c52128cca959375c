"""Which S of a random pipeline: draws, Sobol points, kernel thinning, chosen; forecasts; training.

    python -m studies.pipelines cnn series text photos --out results/pipelines

pairs     four pairs of a frozen model and a distribution, fixed before anything was measured
compare   what m elements leave on held-out inputs, and the forecasts
coverage  how often the error bar of a forecast holds
heads     heads trained on stored views, own frozen draws and fresh ones
"""
