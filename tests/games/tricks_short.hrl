# A quicker game: the highest rank stays in the box.
variant tricks_short extends tricks {
  clause @short.ranks "The fours stay in the box."
  clause @short.calm "Without the highest sword there is no storm."
  clause @short.two "Two tricks each are wanted when two play."

  override range Rank = 1..3                                               @short.ranks
  remove end storm                                                         @short.calm
  remove property blown_away                                               @short.calm
  remove def storm                                                         @short.calm
  override end everybody won
    when forall(tricks[p] > (if players == 2 then 1 else 0) for p : Player)
    score players + count(exists(held(c, p) for p : Player) for c : Card)  @short.two
}
