game missing_everything { }
