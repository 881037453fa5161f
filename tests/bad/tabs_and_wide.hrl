variant tabs_and_wide extends toy {
	add clause @wide "漢字かな交じり"	add def soon() = lefft <= 1
}
