"""What holds for the full-group gradient at the returned iterate, and how we know.

certify   all kinds at one iterate
algorithm Algorithm 1 with its corollary in one call
kinds     the table of kinds
certificates  Certificate, Certificates: bound, how it holds, truth, cost
evidence  a risk and what is known of it, computed once for all iterates
exact     the truth and its rounding, to which every certain bound is compared
before    what is known of S before it is drawn: the paper's bound, and the one for one kernel
sparse    from the gradient on S: a-priori, spectral, kernel
words     the spectral bound on many words of S
audit     fresh transformations, independent of S, alone or each with a translate of S
accuracy  the accuracy or loss of any model over all of G: audit_risk
consistency  the share of samples whose label stays
statements  what these state
predictions  what a model returned, as one number for each sample
answers   the same for a model that runs elsewhere: pairs and answers in files
intervals  what losses in [0, 1] say about their mean
anytime   an audit that may stop at any draw, and how audits share delta
concentration  the inequality behind it, and its proof
"""

from sparseaug.certificate.accuracy import audit_risk
from sparseaug.certificate.algorithm import OneShot
from sparseaug.certificate.answers import read_answers, write_pairs
from sparseaug.certificate.audit import audited
from sparseaug.certificate.certificates import Certificate, Certificates
from sparseaug.certificate.certify import certify
from sparseaug.certificate.consistency import Consistency, audit_consistency
from sparseaug.certificate.evidence import Evidence
from sparseaug.certificate.kinds import KINDS, TABLE
from sparseaug.certificate.predictions import BoundedLoss
from sparseaug.certificate.sparse import a_priori
from sparseaug.certificate.statements import RiskCertificate
from sparseaug.certificate.words import words

__all__ = [
    "KINDS",
    "TABLE",
    "BoundedLoss",
    "Certificate",
    "Certificates",
    "Consistency",
    "Evidence",
    "OneShot",
    "RiskCertificate",
    "a_priori",
    "audit_consistency",
    "audit_risk",
    "audited",
    "certify",
    "read_answers",
    "words",
    "write_pairs",
]
