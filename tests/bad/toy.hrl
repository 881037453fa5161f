# helper: the small game that most files here spoil
game toy {
  clause @turn "players take turns"
  param players : 2..3                                    @turn
  param reserve : 0..5 = 2                                @turn
  sort Seat = players                                     @turn
  enum Colour = red | green | blue                        @turn
  range Level = 1..3                                      @turn
  cards Tile(hue : Colour, level : Level) copies 2        @turn
  union Spot = bag | held(Seat) | table                   @turn
  ruling pace : {calm, fast} = calm "how fast is a turn?" @turn
  ruling stack : {high, low} = high "how are tiles laid?" @turn

  var spot[Tile] : Spot                                   @turn
  var mover : Seat                                        @turn
  var left : 0..9                                         @turn
  record seen[Tile, Seat] : {unseen, shown}               @turn
  actor mover
  start {
    spot[t] = if index(t) < 4 then held(Seat(0)) else bag @turn
    mover = Seat(0)                                       @turn
    left = 9                                              @turn
    seen[t, s] = unseen                                   @turn
  }

  def on_table(c : Colour) = count(spot[t] == table and hue[t] == c for t : Tile)   @turn
  effect tick(n : 1..2) { left' = left - n }              @turn

  action lay(t : Tile) : move                             @turn
    when spot[t] == held(mover) label own                 @turn
  {
    case pace == fast or left > 5 label quick { tick(1) } @turn
    spot[t]' = table                                      @turn
  }
  action wait() : move { tick(1) }                        @turn
  after move pass then { mover' = next(mover) }           @turn

  end empty over when left == 0                           @turn
  end full won when forall(on_table(c) == 6 for c : Colour)   @turn
  score = sum(on_table(c) for c : Colour)                 @turn
  bands { 0..9 "few" ; 10..18 "many" }                    @turn
  view s : Seat sees { spot[t] for t : Tile ; seen[t, s] for t : Tile }   @turn
}
