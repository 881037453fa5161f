# spec: not_a_file.hrl+./
variant not_a_file extends toy { }
