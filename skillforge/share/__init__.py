"""Tag in, artefacts out: catalog, search, release, hub, site, install."""
