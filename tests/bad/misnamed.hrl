# helper
variant other extends toy { }
