# The Dutch rulebook.
edition nl extends base offers difficulty, expert, avalanche, rainbow {
  source "sources/nl.toml"
  set discard_at_full = allowed because "nothing forbids it"                                       @discard.full
  set take_token = may because "a token may be put back, after a discard and for a completed row"  @discard.gain @fireworks.bonus

  with avalanche {
    # The scale is not continued: 26 to 30 points lie in no band.
    override bands when rated {
      0..5 "dreadful: the crowd boos"
      6..10 "poor: hardly any applause"
      11..15 "fair: soon forgotten"
      16..20 "good: the crowd is pleased"
      21..24 "very good: long remembered"
      25 "legendary: nobody finds words"
    }
      expect refuted because "the scale stops at 25, and 30 can be reached"  @avalanche.bands @score.bands
  }
}
