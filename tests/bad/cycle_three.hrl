# helper
variant cycle_three extends cycle_one { }
