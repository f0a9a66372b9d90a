"""The results of an experiment as one HTML file that needs nothing else: no script, font or picture from elsewhere."""

from rlviz.analysis.experiments.report.page import ReportHead, report

__all__ = ["ReportHead", "report"]
