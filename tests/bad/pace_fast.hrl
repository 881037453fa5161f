# helper
variant pace_fast extends toy { set pace = fast }
