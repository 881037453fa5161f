# Small hands and few tokens, so that every game of a small deck can be played out.
variant tiny extends base {
  clause @tiny.hands "one card a hand"
  clause @tiny.tokens "two blue tokens"
  override const hand_size = 1              @tiny.hands
  override const blue_max = 2 + extra_blue  @tiny.tokens
}
