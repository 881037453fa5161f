# spec: loose_plus.hrl+
variant loose_plus extends toy { }
