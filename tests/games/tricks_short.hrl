# A quicker game for exactly three: the highest rank stays in the box.
variant tricks_short extends tricks {
  clause @short.ranks "The fours stay in the box, so that each of three players has three cards."
  clause @short.calm "Without the highest sword there is no storm."
  clause @short.double "With as many tricks as players, winning counts double."

  override range Rank = 1..3                                                              @short.ranks
  set players : 3..3                                                                      @short.ranks
  remove end storm                                                                        @short.calm
  remove property blown_away                                                              @short.calm
  remove def storm                                                                        @short.calm
  override end everybody won when forall(tricks[p] > 0 for p : Player) score 2 * players  @short.double
}
