# spec: several_games.hrl+other_game.hrl
variant several_games extends toy { }
