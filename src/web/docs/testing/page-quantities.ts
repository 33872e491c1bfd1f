const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?`;
const WORD = 'one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half an?';
const TIME = 'ms|s|seconds?|minutes?|hours?|days?|weeks?';
const SIZE = 'KiB|MiB|GiB|bytes?|characters?|levels|members|elements';
const COUNT =
  'attempts?|streams?|sockets?|calls?|requests?|redirects?|modes|options|agents|turns|headers|apps?|tokens?|secrets?|' +
  'webhooks?|devices?|records|messages|events|commands|leases|hex digits';
/** A number or the word for one, with a unit; "a second"; a number alone in a cell; `10 per token`. */
const QUANTITIES = [
  String.raw`(?<![\w.#/§-])(?:${NUMBER} ?|(?:${WORD}) )(?:(?:${TIME}|${SIZE}|${COUNT})\b|%)`,
  String.raw`\ban? (?:second(?! (?:device|reader|event))|minute|hour|day|week)\b`,
  String.raw`(?<=\| )${NUMBER}(?= \|)`,
  String.raw`(?<![\w.#/§-])${NUMBER} per \w+`,
];
/** A status of HTTP is no quantity, nor are one or two of something. */
const NO_QUANTITY = new RegExp(
  [
    String.raw`^(?:4\d\d|50\d|20\d|30\d)(?: (?!MiB|KiB|bytes|ms|days|per)|$)`,
    '^(?:one|two) (?:calls?|requests?|devices?|messages|events|records|apps?|tokens?|sockets?|streams?)$',
    '^(?:one|two) (?:webhooks?|turns|commands)$',
  ].join('|'),
);

/** Quantity on a page, by its place in the normalized text. */
export interface PageQuantity {
  from: number;
  to: number;
}

/** Returns the text without examples and targets of links, with single spaces. */
export function normalizePage(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/\|(?: ?:?-+:? ?\|)+/g, '')
    .replace(/\s+/g, ' ');
}

export function listQuantities(text: string): PageQuantity[] {
  return [...text.matchAll(new RegExp(QUANTITIES.join('|'), 'g'))]
    .filter(([quantity]) => !NO_QUANTITY.test(quantity))
    .map(({ 0: quantity, index }) => ({ from: index, to: index + quantity.length }));
}

/** Returns the quantity with its surroundings. */
export function describePromise(text: string, { from, to }: PageQuantity): string {
  return text.slice(Math.max(0, from - 60), to + 40);
}
