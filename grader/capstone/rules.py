"""The stories as data: word classes, inflections, the rules of the grammar, and what the notation means.

A rule is a head and its alternatives, one a line: `weight | choices | body`. The body is a list of symbols:

    word             a word of the vocabulary
    $hero            the word that the variable holds
    sleeps:n         the word, or its plural from `PLURALS` when n is "many"; `$hero:n` likewise
    it/they:n        the first word, or the second when n is "many"
    she/he@owner     the first word, or the second when the variable holds a name of `HE`
    Ending(hero n)   another rule, with these variables or words as its arguments

A choice `hero=animal` makes one alternative for each word of the class, `other=animal!hero` for each but the hero; the
weight of the line is shared out evenly among them. In every rule the alternatives start with different words, so a
reader who goes from left to right always knows where in the grammar a text is.

A story carries three things from its first sentence to its last: which animal the hero is, whether there are one or
many (n), and who owns it. Between the two sentences the owner may be "she" or "he" and the hero "it" or "they".
"""

from collections.abc import Mapping

SHE = ("mia", "anna", "lucy", "rosa")
HE = ("tom", "ben", "leo", "max")

PLURALS: Mapping[str, str] = {
    "cat": "cats",
    "dog": "dogs",
    "hen": "hens",
    "goat": "goats",
    "duck": "ducks",
    "horse": "horses",
    "rabbit": "rabbits",
    "mouse": "mice",
    "chases": "chase",
    "climbs": "climb",
    "eats": "eat",
    "follows": "follow",
    "hears": "hear",
    "hides": "hide",
    "is": "are",
    "knows": "know",
    "likes": "like",
    "lives": "live",
    "plays": "play",
    "runs": "run",
    "sees": "see",
    "sleeps": "sleep",
    "takes": "take",
    "walks": "walk",
    "watches": "watch",
}

FOODS: Mapping[str, tuple[str, ...]] = {
    "cat": ("fish", "milk"),
    "dog": ("bread", "meat"),
    "hen": ("corn", "seeds"),
    "goat": ("apples", "grass"),
    "duck": ("bread", "corn"),
    "horse": ("apples", "grass"),
    "rabbit": ("carrots", "grass"),
    "mouse": ("cheese", "seeds"),
}

# Where each owner is at home: near the first and in the second. No two owners share both. Without something of its own
# a name would be like any other: training draws the embeddings of such names together before it learns to repeat one.
HOMES: Mapping[str, tuple[str, str]] = {
    "mia": ("lake", "barn"),
    "anna": ("mill", "garden"),
    "lucy": ("river", "village"),
    "rosa": ("lake", "garden"),
    "tom": ("mill", "barn"),
    "ben": ("river", "garden"),
    "leo": ("lake", "village"),
    "max": ("river", "barn"),
}

CLASSES: Mapping[str, tuple[str, ...]] = {
    "animal": tuple(FOODS),
    "name": SHE + HE,
    "she": SHE,
    "he": HE,
    "number": ("single", "many"),
    "adjective": ("black", "clever", "lazy", "old", "small", "white"),
    "time": ("day", "evening", "morning"),
    "feeling": ("afraid", "alone", "cold", "tired"),
    **{f"food-of-{animal}": foods for animal, foods in FOODS.items()},
    **{f"landmark-of-{name}": (landmark,) for name, (landmark, _) in HOMES.items()},
    **{f"building-of-{name}": (building,) for name, (_, building) in HOMES.items()},
}

START = ("Document",)

RULES: Mapping[str, str] = {
    # The first sentence: a hero and its owner.
    "Document()": "1 | | <s> Opening() </s>",
    "Opening()": """
        6 | | the Known()
        3 | | a Unknown()
        1 | | two Pair()
        2 | owner=name | $owner lives Home(owner) and has Pet(owner)
    """,
    "Known()": """
        7 | hero=animal n=number | $hero:n Of(hero n)
        3 | adjective=adjective | $adjective Described()
    """,
    "Described()": "1 | hero=animal n=number | $hero:n Of(hero n)",
    "Of(hero n)": """
        3 | | of Owner(hero n)
        2 | | lives:n with Host(hero n)
    """,
    "Owner(hero n)": "1 | owner=name | $owner lives:n Home(owner) . Story(hero n owner)",
    "Host(hero n)": "1 | owner=name | $owner Home(owner) . Story(hero n owner)",
    "Unknown()": """
        3 | hero=animal | $hero lives with Host(hero single)
        3 | adjective=adjective | $adjective Single()
        2 | | girl named Girl()
        2 | | boy named Boy()
    """,
    "Single()": "1 | hero=animal | $hero lives with Host(hero single)",
    "Girl()": "1 | owner=she | $owner lives Home(owner) and has Pet(owner)",
    "Boy()": "1 | owner=he | $owner lives Home(owner) and has Pet(owner)",
    "Pair()": """
        6 | hero=animal | $hero:many live with Host(hero many)
        4 | adjective=adjective | $adjective Twins()
    """,
    "Twins()": "1 | hero=animal | $hero:many live with Host(hero many)",
    "Pet(owner)": """
        3 | | a OnePet(owner)
        2 | | two TwoPets(owner)
    """,
    "OnePet(owner)": """
        6 | hero=animal | $hero . Story(hero single owner)
        4 | adjective=adjective | $adjective OldPet(owner)
    """,
    "OldPet(owner)": "1 | hero=animal | $hero . Story(hero single owner)",
    "TwoPets(owner)": "1 | hero=animal | $hero:many . Story(hero many owner)",
    "Home(owner)": """
        1 | landmark=landmark-of-$owner | near the $landmark
        1 | building=building-of-$owner | in the $building
    """,
    "Place()": """
        3 | | in the Inside()
        3 | | near the Landmark()
        1 | | on the hill
    """,
    "Inside()": """
        1 | | barn
        2 | | garden
        1 | | village
    """,
    "Landmark()": """
        1 | | lake
        1 | | mill
        2 | | river
    """,
    # What the hero does every day, and what it does one day.
    "Story(hero n owner)": """
        1 | | every Time() Daily(hero n owner) . Adventure(hero n owner)
        1 | | Adventure(hero n owner)
    """,
    "Time()": "1 | time=time | $time",
    "Daily(hero n owner)": """
        1 | | $owner gives it/them:n Food(hero)
        1 | | it/they:n Habit(hero n)
    """,
    "Habit(hero n)": """
        3 | | plays:n Place()
        3 | | eats:n Food(hero)
        2 | | watches:n the Sight()
        1 | | walks:n to the Landmark()
    """,
    "Food(hero)": "1 | food=food-of-$hero | $food",
    "Sight()": """
        1 | | birds
        1 | | clouds
        1 | | bees
    """,
    "Adventure(hero n owner)": "1 | | one Time() the $hero:n Leaving(hero n owner) . Evening(hero n owner)",
    "Leaving(hero n owner)": """
        2 | | Away(n)
        3 | | that Clause(hero n owner) Away(n)
    """,
    "Away(n)": """
        2 | | hides:n behind the Building()
        3 | | runs:n into the Wild()
        1 | | climbs:n over the wall
        1 | | walks:n along the Water()
        1 | | sleeps:n under a tree
    """,
    "Building()": """
        1 | | barn
        1 | | house
        1 | | mill
    """,
    "Wild()": """
        2 | | forest
        1 | | fields
        1 | | fog
    """,
    "Water()": """
        1 | | lake
        2 | | river
    """,
    # A relative clause: its verb agrees with its own subject, and the verb after it with the hero.
    "Clause(hero n owner)": """
        4 | | the Follower(hero)
        3 | | Deed(n) the Other(hero)
        2 | | $owner likes
    """,
    "Follower(hero)": "1 | other=animal!hero m=number | $other:m Following(m)",
    "Following(m)": """
        3 | | Deed(m)
        1 | | near the Landmark() Deed(m)
    """,
    "Deed(n)": """
        3 | | chases:n
        2 | | follows:n
        1 | | hears:n
        1 | | knows:n
    """,
    "Other(hero)": "1 | other=animal!hero m=number | $other:m",
    # The owner looks for the hero, somebody helps or nobody needs to, and all is well.
    "Evening(hero n owner)": """
        1 | | soon Nightfall(n owner) . Return(hero n owner)
        1 | | $owner looks for the $hero:n Home(owner) . Return(hero n owner)
    """,
    "Nightfall(n owner)": """
        3 | | it is dark and she/he@owner looks for it/them:n
        2 | | the Sky() comes and it/they:n is:n Feeling()
    """,
    "Sky()": """
        2 | | night
        2 | | rain
        1 | | snow
    """,
    "Feeling()": "1 | feeling=feeling | $feeling",
    "Return(hero n owner)": """
        3 | friend=name!owner | $friend sees the $hero:n and brings it/them:n home . Ending(hero n owner)
        3 | | then the Guide(hero n owner)
        2 | | at last it/they:n hears:n $owner and runs:n home . Ending(hero n owner)
    """,
    "Guide(hero n owner)": """
        1 | other=animal!hero m=number | $other:m that knows:m her/him@owner Help(n m) . Ending(hero n owner)
    """,
    "Help(n m)": "1 | | takes:m it/them:n home",
    "Ending(hero n owner)": """
        3 | | $owner Welcome(hero n owner)
        2 | | at night the $hero:n sleeps:n beside $owner .
        2 | | now the $hero:n Safe(hero n owner)
    """,
    "Welcome(hero n owner)": """
        3 | | gives it/them:n Food(hero) and she/he@owner is happy .
        2 | | laughs and calls the $hero:n .
        1 | | kisses the $hero:n and all is well .
    """,
    "Safe(hero n owner)": """
        1 | | is:n safe and $owner is happy .
        1 | | that Deed(n) the Other(hero) is:n safe and $owner is happy .
    """,
}
