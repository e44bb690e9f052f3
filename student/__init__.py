"""Your answers, one file a lesson. `anatomy grade` grades them; `anatomy list` names them."""
