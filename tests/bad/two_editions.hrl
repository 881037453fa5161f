# spec: green.hrl+two_editions.hrl
edition two_editions extends toy { }
