"""Evidence for what the library claims; not in the wheel. Run it from a clone of the repository.

paper    the paper's experiment, its claims, figures and page: make paper
rates    the paper's rates, bounds and costs against exact truth: make study
views    how many views an average needs, on six tasks: make views
report   figures and pages of these three
pages    pictures and tables of the documentation
commands `python -m studies`
sealed   JSON files under a checksum
soundness, certificates, audits, bounds        no bound below the truth, and how often one may be
rotations, spectrum, pilot                     what designs leave, and how well that is predicted
coverage                                       how often the error bars of that hold
invariance_tests                               level and power
"""
