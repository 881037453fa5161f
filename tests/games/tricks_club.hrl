# How a club plays it: nobody stays silent, and the short game has names of its own for the results.
edition tricks_club extends tricks offers tricks_short {
  clause @club.speak "Who has something to say says it."

  set silence = refused because "the club wants to hear something"  @club.speak @say.silence

  with tricks_short {
    clause @club.names "The short game has two names for its results."

    override bands {
      0..players - 1 "lost"
      players..players + size(Card) "won"
    }  @club.names
  }
}
