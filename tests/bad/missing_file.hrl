# spec: missing_file.hrl+no_such_file.hrl
variant missing_file extends toy { }
