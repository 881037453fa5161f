# a game will stand here one day
