# spec: edition_not_first.hrl+green.hrl
variant edition_not_first extends toy { }
