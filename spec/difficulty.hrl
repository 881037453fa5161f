# Harder with fewer red tokens, easier with more blue ones.
variant difficulty extends base {
  set red_tokens : 1..3  @difficulty.red
  set red_tokens = 2     @difficulty.red

  set extra_blue = 1  @difficulty.blue
}
