# helper
game other_game { score = 0 }
