"""Configuration of the documentation: `nox -s docs` builds it into ``.nox/docs-html``."""

from importlib.metadata import version as installed

project = "evalfixes"
author = "evalfixes maintainers"
copyright = author  # noqa: A001 - the name that Sphinx reads
release = version = installed("evalfixes")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "evalfixes"
html_static_path = ["_static"]
html_css_files = ["evalfixes.css"]
html_copy_source = False
html_show_sphinx = False

autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
nitpicky = False
