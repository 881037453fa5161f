import json
import sys


def start(game):
    size, deck = game["hand_size"], game["deck"]
    game["hands"] = [deck[seat * size : (seat + 1) * size] for seat in range(game["players"])]
    game["pile"], game["fireworks"] = deck[size * game["players"] :], dict.fromkeys(game["letters"], 0)
    game |= {"discards": [], "blue": game["blue_tokens"], "red": 0, "turn": 0, "left": game["players"], "ended": False}
    return game


def legal(game, action):
    if action["type"] == "hint":
        suit = game["letters"][game["suits"].index(action["colour"])] if "colour" in action else None
        touched = [card for card in game["hands"][action["to"]] if (suit or str(action.get("value"))) in card]
        return not game["ended"] and game["blue"] > 0 and action["to"] != game["turn"] and touched
    held = action["slot"] < len(game["hands"][game["turn"]])
    return not game["ended"] and held and (action["type"] == "play" or game["blue"] < game["blue_tokens"])


def act(game, action):
    last_round, hand, gain = not game["pile"], game["hands"][game["turn"]], -1
    if action["type"] != "hint":
        card = hand.pop(action["slot"])
        suit, rank = card[0], int(card[1:])
        fits = action["type"] == "play" and game["fireworks"][suit] + 1 == rank
        game["fireworks"][suit] += fits
        game["red"] += action["type"] == "play" and not fits
        game["discards"] += [] if fits else [card]
        gain = action["type"] == "discard" or (fits and rank == game["ranks"][-1])
    game["blue"] = min(game["blue"] + gain, game["blue_tokens"])
    game["left"] -= last_round
    perfect = sum(game["fireworks"].values()) == len(game["suits"]) * len(game["ranks"])
    game["ended"] = perfect or game["red"] == game["red_tokens"] or game["left"] == 0
    if not game["ended"]:
        hand += [game["pile"].pop(0)] if action["type"] != "hint" and game["pile"] else []
        game["turn"] = (game["turn"] + 1) % game["players"]


game = {}
for message in map(json.loads, sys.stdin):
    answer = {"protocol": 1, "name": "engine.py"}
    if message["type"] == "start":
        game, answer = start(message), {}
    elif message["type"] == "act":
        answer = {} if legal(game, message["action"]) else {"refused": "not legal"}
        _ = answer or act(game, message["action"])
    if message["type"] != "hello":
        told = ("hands", "fireworks", "discards", "blue", "red", "turn", "ended")
        answer["state"] = {name: game[name] for name in told}
        points = 0 if game["red"] == game["red_tokens"] else sum(game["fireworks"].values())
        answer["state"] |= {"pile": len(game["pile"]), "score": points}
    print(json.dumps(answer), flush=True)
