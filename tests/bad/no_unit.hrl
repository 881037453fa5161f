score = 5
