"""One file for each schema there has been; see `judge_bundles.store.versions`."""
