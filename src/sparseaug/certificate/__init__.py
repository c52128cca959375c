"""What holds for the full-group gradient at the returned iterate, and how we know.

certify   all kinds at one iterate
result    Certificate, Certificates: bound, how it holds, truth, cost
evidence  what is known of a problem and its sample S, computed once for all iterates
sparse    from the gradient on S: a-priori, spectral, kernel
exact     the full-group gradient itself, and the roundings of a gradient
audit     fresh transformations, independent of S
"""

from sparseaug.certificate.audit import audited
from sparseaug.certificate.certify import KINDS, certify
from sparseaug.certificate.evidence import Evidence
from sparseaug.certificate.exact import exact
from sparseaug.certificate.result import Certificate, Certificates
from sparseaug.certificate.sparse import a_priori, kernel, spectral

__all__ = [
    "KINDS",
    "Certificate",
    "Certificates",
    "Evidence",
    "a_priori",
    "audited",
    "certify",
    "exact",
    "kernel",
    "spectral",
]
