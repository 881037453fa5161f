Game toy { }
