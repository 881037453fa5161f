variant two_units extends toy { }
variant second extends toy { }
