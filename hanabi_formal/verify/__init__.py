"""Does every property of a composition hold? All its obligations, on all cores."""
