variant cycle_one extends cycle_two {

}
