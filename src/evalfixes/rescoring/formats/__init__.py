"""The formats of result files: one module per format, each with ``cases(document)`` and ``rescore(record)``."""
