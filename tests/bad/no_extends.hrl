variant no_extends { }
