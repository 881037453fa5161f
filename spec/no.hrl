# The Norwegian rulebook.
edition no extends base offers expert {
  source "sources/no.toml"
  set perfect_in_last_round = plays_on because "a perfect display ends the game only while there are cards in the pile"  @end.perfect

  override example worked(a : 0..5) : a + 2 + 3 + 1 + 4 == 18
    expect refuted because "as scanned, the four legible terms make 10, and no firework is worth 8"  @score.example
}
