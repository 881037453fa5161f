# The timed display: who plays a card may first announce its colour.
variant timed extends base {
  add ruling announced_but_misfit : {misfit, misfit_and_token} = misfit
    "does a right announcement of a card that does not fit still return a token?"  @timed.right

  add def right(c : Card, s : Suit) = suit[c] == s             @timed.announce
  add action announce(c : Card, s : Suit, take : Bool) : move  @timed.announce
    when held(c, turn) label own                               @play.reveal
    when take or take_token == may label take                  @timed.right
  {
    case right(c, s) and fits(c) label fit @timed.right {
      place[c]' = fireworks  @timed.right
      case take and rank[c] == last(Rank) label two { gain(2) @timed.right }
      else case take label one { gain(1) @timed.right }
    } else case right(c, s) label misfit @timed.right {
      misfit(c)              @play.misfit
      case take and announced_but_misfit == misfit_and_token label token { gain(1) @timed.right }
    } else label wrong @timed.wrong {
      misfit(c)              @timed.wrong
    }
    reveal suit[c], rank[c]  @play.reveal
    case draw_on_end == yes and (draw_after_fit == yes or not (right(c, s) and fits(c))) label draw_at_once { draw(turn) @play.draw }
  }
  then {
    case draw_on_end == no and (draw_after_fit == yes or place[c] == discards) label draw { draw(turn) @play.draw }
  }

  with avalanche {
    add ruling announce_multi : {own_colour, any_colour, refused} = own_colour
      "what may be announced for a multicoloured card?"                                  @timed.announce
    strengthen action announce when announce_multi != refused or s != multi label multi  @timed.announce @avalanche.named
    override def right(c, s) =
      if suit[c] != multi then suit[c] == s
      else announce_multi == any_colour or announce_multi == own_colour and s == multi   @timed.announce @avalanche.named
  }
}
