# One toss, and none at the end.
variant solitaire_strict extends solitaire {
  clause @strict.one "There is one toss, and it is lost when a suit is completed."
  clause @strict.stock "No card is tossed while the stock is empty."

  set tosses = 1                                                       @strict.one
  set empty_toss = refused because "there is no stock to refill from"  @strict.stock
  remove case build.top                                                @strict.one
}
