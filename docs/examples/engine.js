// A small Hanabi, and the protocol around it.
let game = {};

function start(setup) {
  const { hand_size: size, deck, players, letters } = setup;
  const hands = Array.from({ length: players }, (_, seat) => deck.slice(seat * size, (seat + 1) * size));
  game = { ...setup, hands, pile: deck.slice(players * size), discards: [], blue: setup.blue_tokens, red: 0, turn: 0,
           fireworks: Object.fromEntries(letters.map((letter) => [letter, 0])), left: players, ended: false };
}

function touches(action) {
  const sign = action.colour ? game.letters[game.suits.indexOf(action.colour)] : String(action.value);
  return game.hands[action.to].some((card) => card.includes(sign));
}

function legal(action) {
  if (game.ended) return false;
  if (action.type === "hint") return game.blue > 0 && action.to !== game.turn && touches(action);
  const held = action.slot < game.hands[game.turn].length;
  return held && (action.type === "play" || game.blue < game.blue_tokens);
}

function act(action) {
  const lastRound = game.pile.length === 0, hand = game.hands[game.turn], top = Math.max(...game.ranks);
  if (action.type === "hint") game.blue -= 1;
  else {
    const [card] = hand.splice(action.slot, 1), suit = card[0], rank = Number(card[1]);
    const fits = action.type === "play" && game.fireworks[suit] + 1 === rank;
    if (fits) game.fireworks[suit] += 1;
    else game.discards.push(card);
    if (action.type === "play" && !fits) game.red += 1;
    if (action.type === "discard" || (fits && rank === top)) game.blue = Math.min(game.blue + 1, game.blue_tokens);
  }
  if (lastRound) game.left -= 1;
  const perfect = Object.values(game.fireworks).every((height) => height === top);
  game.ended = perfect || game.red === game.red_tokens || game.left === 0;
  if (game.ended) return;
  if (action.type !== "hint" && game.pile.length) hand.push(game.pile.shift());
  game.turn = (game.turn + 1) % game.players;
}

function state() {
  const { hands, fireworks, discards, pile, blue, red, turn, ended } = game;
  const points = Object.values(fireworks).reduce((sum, height) => sum + height, 0);
  return { hands, fireworks, discards, pile: pile.length, blue, red, turn, ended, score: red === game.red_tokens ? 0 : points };
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  let answer = { protocol: 1, name: "example.js" };
  if (message.type === "start") { start(message); answer = { state: state() }; }
  if (message.type === "act" && !legal(message.action)) answer = { refused: "not legal", state: state() };
  else if (message.type === "act") { act(message.action); answer = { state: state() }; }
  console.log(JSON.stringify(answer));
});
