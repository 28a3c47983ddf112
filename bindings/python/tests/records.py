"""What jobs report."""


def states(report):
    return [record.state for record in report.records]
