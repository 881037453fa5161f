# spec: named_twice.hrl+named_twice.hrl
variant named_twice extends toy { }
