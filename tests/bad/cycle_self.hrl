variant cycle_self extends cycle_self {

}
