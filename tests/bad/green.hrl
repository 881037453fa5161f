# helper
edition green extends toy offers pace_fast { set stack = low }
