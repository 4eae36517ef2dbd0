"""A stand-in for uvicorn's command (not uvicorn), for the stand-in for flux-restful. See __main__.py."""
