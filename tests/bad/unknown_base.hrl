variant unknown_base extends toi {

}
