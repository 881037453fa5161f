# The house rules of hanab.live, where they differ from the rulebooks.
edition hanab_live extends base offers expert {
  clause @house.seats "two to six seats; six seats hold three cards each"
  clause @house.hint "a hint must touch a card, unless the option for empty hints is on"
  clause @house.loss "a lost or abandoned game scores nothing"
  clause @house.early "the game stops when no more points can be made, and a perfect display ends it at once"
  clause @house.abandon "the players may end the game at any time"
  clause @house.deck_plays "an option: the last card of the pile may be played unseen"
  clause @house.scale "there is no scale"

  set players : 2..6                                                                    @house.seats
  override const hand_size = if players <= 3 then 5 else if players <= 5 then 4 else 3  @house.seats
  set empty_hint = refused                                                              @house.hint
  set hopeless = stops                                                                  @house.early
  remove bands                                                                          @house.scale

  add var abandoned : Bool  @house.abandon
  add start { abandoned = false @house.abandon }
  add action abandon()      @house.abandon
  {
    abandoned' = true  @house.abandon
  }
  add end abandoned lost when abandoned score 0 @house.abandon @house.loss before strikes

  add ruling deck_plays : {off, on} = off
    "may the last card of the pile be played unseen?"  @house.deck_plays
  add action deck_play(take : Bool) : move             @house.deck_plays
    when deck_plays == on label ruled                  @house.deck_plays
    when drawn == size(Card) - 1 label last_card       @house.deck_plays
    when take or take_token == may label take          @fireworks.bonus
  {
    case fits(Card(drawn)) label fit @play.fit {
      place[Card(drawn)]' = fireworks  @play.fit
      case take and rank[Card(drawn)] == last(Rank) label bonus { gain(1) @fireworks.bonus }
    } else label misfit @play.misfit {
      misfit(Card(drawn))              @play.misfit
    }
    drawn' = drawn + 1                           @house.deck_plays
    reveal suit[Card(drawn)], rank[Card(drawn)]  @play.reveal
  }
  override def able(p) = enabled(hint, discard, play, deck_play, turn = p)  @turn.one @house.deck_plays

  with expert {
    clause @house.stuck "with all or nothing, a player without cards and tokens loses the game for all"
    set stuck = lost  @house.stuck
    # Whatever makes a game hopeless has lost it already.
    set hopeless = plays_on because "the game is lost as soon as the maximum is out of reach"  @house.early @expert.indispensable
    override deadlock_free always_a_move                                                       @house.stuck
  }
}
