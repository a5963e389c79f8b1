-- Which image a catalog came from, so that it need not be read again while its name stands for the same one.

CREATE TABLE catalog_image (
    -- Only of catalogs that came from images.
    catalog INTEGER PRIMARY KEY REFERENCES catalog (id),
    digest  TEXT NOT NULL  -- of the index of the image if it has one, else of its manifest: `sha256:…`
);
