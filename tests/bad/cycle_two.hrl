# helper
variant cycle_two extends cycle_three { }
