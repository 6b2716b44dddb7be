"""English, as far as statements are drawn from it: data alone."""
