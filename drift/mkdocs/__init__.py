"""The front end for MkDocs: shows records on pages, audits the HTML, previews what an author writes."""
