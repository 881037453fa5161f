variant keyword_as_name extends toy {
  add def if(n : 0..3) = n
}
